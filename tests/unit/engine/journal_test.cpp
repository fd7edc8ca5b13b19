#include "engine/sweep/journal.h"

#include <fstream>
#include <sstream>

#include "small_run.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::journal_test {
namespace {

namespace fs = std::filesystem;

std::string to_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::size_t list_lines(const fs::path& path) {
  const std::string text = to_text(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Json document(const JournalState& state) { return run_to_json(make_document(state)); }

JournalState state_in(const fs::path& path) { return read_journal(path); }

/// A run of four cases that has come some way, in a file.
struct WrittenJournal {
  WrittenJournal() : path(dir.path() / "run.journal.jsonl") {}

  Journal create() const {
    return Journal::create(path, run.header, run.planned(), [&] { Journal::refuse_unfinished(path); });
  }

  /// The first case has ended well, the second is at its second epoch.
  Journal half_done() const {
    Journal journal = create();
    journal.add(StartedEvent{0, "2026-11-26T00:00:00.000Z"});
    journal.add(EpochEvent{0, small_epoch()});
    journal.add(FinishedEvent{0, run.ended(0, RowStatus::kOk)});
    journal.add(StartedEvent{1, "2026-11-26T00:00:00.000Z"});
    journal.add(EpochEvent{1, small_epoch()});
    journal.add(EpochEvent{1, small_epoch()});
    return journal;
  }

  TempDir dir;
  fs::path path;
  SmallRun run;
};

}  // namespace

TEST_CASE("what a journal has in memory is what its file says, after each line") {
  const WrittenJournal written;
  Journal journal = written.create();
  const auto check = [&] { CHECK(document(journal.state()) == document(state_in(written.path))); };
  check();
  journal.add(StartedEvent{0, "2026-11-26T00:00:00.000Z"}), check();
  journal.add(EpochEvent{0, small_epoch()}), check();
  journal.add(FinishedEvent{0, written.run.ended(0, RowStatus::kDiverged, "the loss is \xff\nno number")}),
      check();
  journal.add_row(written.run.cases[1], written.run.rows[1]), check();
  journal.add(EndedEvent{"2026-11-26T00:00:00Z"}), check();
  CHECK(list_lines(written.path) == 6);
  CHECK(journal.failure().empty());
}

TEST_CASE("a document has a row for each case, and those without a result say how far they came") {
  const WrittenJournal written;
  const RunRecord run = make_document(written.half_done().state());
  REQUIRE(run.cases.size() == 4);
  CHECK(to_json(run.cases[0]) == to_json(written.run.ended(0, RowStatus::kOk)));
  CHECK(run.cases[1].status == RowStatus::kInterrupted);
  CHECK(run.cases[1].epoch_seconds == std::vector<double>{0.5, 0.5});
  CHECK(run.cases[1].training == written.run.after(1, 2).training);
  CHECK_THAT(run.cases[1].status_reason, contains_text("while this case was running"));
  CHECK(run.cases[1].started_at.has_value());
  CHECK_THAT(run.cases[2].status_reason, contains_text("before this case began"));
  CHECK(run.cases[2].model == "net");
  CHECK_FALSE(run.tool.finished_at.has_value());
  CHECK(run.environment.cpu == "Processor 9000");
}

}  // namespace gpubench::test::journal_test
