#pragma once
// The lines of a journal, and what each does to the state.

#include "engine/sweep/journal.h"

namespace gpubench {

Json planned_event(const JournalHeader& header, const std::vector<Case>& cases,
                   const std::vector<CaseRecord>& rows);
Json added_event(const Case& c, const CaseRecord& row);
Json started_event(std::size_t position);
Json epoch_event(std::size_t position, const EpochRecord& epoch);
Json finished_event(std::size_t position, const CaseRecord& record);
Json ended_event();

/// The only way in which a state changes, in a run and in reading alike. Throws some exception for an event
/// that makes no sense.
void apply_event(JournalState& state, const Json& event);

}  // namespace gpubench
