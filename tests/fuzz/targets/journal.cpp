// Journals of trainings and of operations: read, continued, and made a document.

#include "engine/sweep/journal.h"
#include "fuzz/documents.h"
#include "fuzz/pieces.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

namespace fs = std::filesystem;

std::string to_text(const RunRecord& document) { return run_document(document); }
std::string to_text(const OpsRecord& document) { return ops_document(document); }

template <class Work>
std::string make_result(const JournalState<Work>& state) {
  return to_text(make_document(state));
}

/// A row more is begun and ended, as a resumed run does.
template <class Work>
void go_on(Journal<Work>& journal, const RowOf<Work>& row) {
  journal.row_started(0);
  journal.row_finished(0, row);
  journal.run_ended();
}

template <class Work>
void read_as(const fs::path& path) {
  accepts([&] {
    const JournalState<Work> state = read_journal<Work>(path);
    auto journal = Journal<Work>::resume(path);
    require(make_result(journal.state()) == make_result(state), "a journal is continued as it was read");
    require(differences(state, journal.state().header, std::vector<Work>{}).size() <= 1,
            "a journal differs from itself in nothing but its work, which is not given here");
    if (!state.rows.empty()) go_on(journal, state.rows.front().row);
    require(make_result(read_journal<Work>(path)) == make_result(journal.state()),
            "a journal is read as it was written");
  });
}

void read(std::string_view input) {
  read_as<Case>(lasting_file(input));
  read_as<OpWork>(lasting_file(input));
}

}  // namespace

Target entry_journal() { return {Shape::kJsonLines, read}; }

}  // namespace gpubench::fuzz
