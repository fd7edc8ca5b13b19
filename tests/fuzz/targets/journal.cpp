// Journals of trainings and of operations: read, continued, and made a document.

#include "engine/sweep/journal.h"
#include "fuzz/documents.h"
#include "fuzz/pieces.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

namespace fs = std::filesystem;

std::string make_result(const JournalState& state) { return run_document(make_document(state)); }

/// A row more is begun and ended, as a resumed run does.
void go_on(Journal& journal, const Result& row) {
  journal.add(StartedEvent{0, "2026-11-26T00:00:00.000Z"});
  journal.add(FinishedEvent{0, row});
  journal.add(EndedEvent{"2026-11-26T00:00:01Z"});
}

void read(std::string_view input) {
  const fs::path path = lasting_file(input);
  accepts([&] {
    const JournalState state = read_journal(path);
    Journal journal = Journal::resume(path);
    require(make_result(journal.state()) == make_result(state), "a journal is continued as it was read");
    require(differences(state, journal.state().header, {}).size() <= 1,
            "a journal differs from itself in nothing but its work, which is not given here");
    if (!state.rows.empty()) go_on(journal, state.rows.front().row);
    require(make_result(read_journal(path)) == make_result(journal.state()),
            "a journal is read as it was written");
  });
}

}  // namespace

Target entry_journal() { return {Shape::kJsonLines, read}; }

}  // namespace gpubench::fuzz
