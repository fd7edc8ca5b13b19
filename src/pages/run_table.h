#pragma once
// What a person sees after a run, and what is said below tables of its cases: what columns cannot hold.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// The run as aligned text for a terminal, a row a case, with notes below; ends in a newline. Pure: the same
/// record gives the same bytes, in every locale.
std::string run_table(const RunRecord& run);

/// Why the case did not end well, and where memory ran out how much was asked for.
std::string reason_text(const CaseRecord& c);

/// Warnings of the cases, those of a kind as one: see add_warning().
std::vector<std::string> warning_notes(const std::vector<CaseRecord>& cases);

/// How the figures were made: modes that were chosen and what they gain, where the time of steps went, which
/// epochs count.
std::vector<std::string> method_notes(const std::vector<CaseRecord>& cases);

}  // namespace gpubench
