#include "engine/sweep/journal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <thread>

#include "gpubench/core/error.h"
#include "small_run.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::size_t lines_of(const fs::path& path) {
  const std::string text = text_of(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Json document(const JournalState<Case>& state) { return run_to_json(document_of(state)); }

JournalState<Case> state_in(const fs::path& path) { return read_journal<Case>(path); }

template <class Function>
std::string refusal(ErrorKind kind, Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "accepted";
}

/// A run of four cases that has come some way, in a file.
struct WrittenJournal {
  WrittenJournal() : path(dir.path() / "run.journal.jsonl") {}

  Journal<Case> create() const {
    return Journal<Case>::create(path, run.header, run.cases, run.rows,
                                 [&] { Journal<Case>::refuse_unfinished(path); });
  }

  /// The first case has ended well, the second is at its second epoch.
  Journal<Case> half_done() const {
    Journal<Case> journal = create();
    journal.row_started(0);
    journal.epoch_finished(0, small_epoch());
    journal.row_finished(0, run.ended(0, RowStatus::kOk));
    journal.row_started(1);
    journal.epoch_finished(1, small_epoch());
    journal.epoch_finished(1, small_epoch());
    return journal;
  }

  std::string refusal_to_create() const {
    return refusal(ErrorKind::kUsage, [&] { create(); });
  }

  TempDir dir;
  fs::path path;
  SmallRun run;
};

}  // namespace

TEST_CASE("what a journal has in memory is what its file says, after each line") {
  const WrittenJournal written;
  Journal<Case> journal = written.create();
  const auto check = [&] { CHECK(document(journal.state()) == document(state_in(written.path))); };
  check();
  journal.row_started(0), check();
  journal.epoch_finished(0, small_epoch()), check();
  journal.row_finished(0, written.run.ended(0, RowStatus::kDiverged, "the loss is \xff\nno number")), check();
  journal.add_row(written.run.cases[1], written.run.rows[1]), check();
  journal.run_ended(), check();
  CHECK(lines_of(written.path) == 6);
  CHECK(journal.failure().empty());
}

TEST_CASE("a journal without a file has the same state") {
  const WrittenJournal written;
  Journal<Case> journal =
      Journal<Case>::create({}, written.run.header, written.run.cases, written.run.rows, {});
  journal.row_finished(0, written.run.ended(0, RowStatus::kOk));
  CHECK(document_of(journal.state()).cases[0].status == RowStatus::kOk);
  CHECK(journal.failure().empty());
}

TEST_CASE("a document has a row for each case, and those without a result say how far they came") {
  const WrittenJournal written;
  const RunRecord run = document_of(written.half_done().state());
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

TEST_CASE("a case that is begun once more loses what it had") {
  const WrittenJournal written;
  Journal<Case> journal = written.half_done();
  journal.row_started(1);
  CHECK(document_of(journal.state()).cases[1].epoch_seconds.empty());
  journal.row_finished(1, written.run.ended(1, RowStatus::kCrashed, "gone"));
  journal.row_started(1);
  CHECK(document_of(journal.state()).cases[1].status == RowStatus::kInterrupted);
  CHECK(document(journal.state()) == document(state_in(written.path)));
}

TEST_CASE("a run has ended once that is noted, until a case is begun again") {
  const WrittenJournal written;
  Journal<Case> journal = written.half_done();
  journal.run_ended();
  CHECK(document_of(journal.state()).tool.finished_at.has_value());
  journal.row_started(1);
  CHECK_FALSE(document_of(journal.state()).tool.finished_at.has_value());
}

TEST_CASE("the line of an epoch is as long after a thousand epochs as after the first") {
  const WrittenJournal written;
  Journal<Case> journal = written.create();
  journal.row_started(0);
  const auto added_by_epoch = [&] {
    const std::size_t before = text_of(written.path).size();
    journal.epoch_finished(0, small_epoch());
    return text_of(written.path).size() - before;
  };
  const std::size_t first = added_by_epoch();
  for (int epoch = 0; epoch < 1000; ++epoch) journal.epoch_finished(0, small_epoch());
  CHECK(added_by_epoch() == first);
  CHECK(state_in(written.path).rows[0].row.epoch_seconds.size() == 1002);
}

TEST_CASE("a figure of an epoch that is no number stays none in the journal") {
  const WrittenJournal written;
  Journal<Case> journal = written.create();
  EpochRecord epoch = small_epoch();
  epoch.training[0].second = std::numeric_limits<double>::infinity();
  journal.epoch_finished(0, epoch);
  CHECK(std::isnan(state_in(written.path).rows[0].row.training[0].second.at(0)));
}

TEST_CASE("a journal is continued where it was") {
  const WrittenJournal written;
  const Json before = document(written.half_done().state());
  Journal<Case> journal = Journal<Case>::resume(written.path);
  CHECK(journal.state().warning.empty());
  CHECK(document(journal.state()) == before);
  journal.row_finished(1, written.run.ended(1, RowStatus::kOk));
  CHECK(document_of(state_in(written.path)).cases[1].status == RowStatus::kOk);
  CHECK(lines_of(written.path) == 8);
}

TEST_CASE("wherever its last line is torn, the lines before it count and the next ones follow them") {
  const WrittenJournal written;
  written.half_done();
  const std::string text = text_of(written.path);
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  const Json before = [&] {
    fs::resize_file(written.path, last);
    return document(state_in(written.path));
  }();
  for (std::size_t size = last + 1; size < text.size(); size += 9) {
    std::ofstream(written.path, std::ios::binary | std::ios::trunc) << text.substr(0, size);
    Journal<Case> journal = Journal<Case>::resume(written.path);
    CHECK_THAT(journal.state().warning, contains_text("torn (" + std::to_string(size - last) + " bytes)"));
    CHECK(document(journal.state()) == before);
    journal.run_ended();
    CHECK(lines_of(written.path) == 7);
    CHECK(state_in(written.path).ended_at.has_value());
  }
}

TEST_CASE("a line that cannot be used is an error with its number, and the file stays as it is") {
  const WrittenJournal written;
  written.half_done();
  const std::string text = text_of(written.path);
  const std::size_t third = text.find('\n', text.find('\n') + 1) + 1;
  for (const std::string line :
       {"####", "{}", "{\"event\":\"song\"}", "{\"event\":\"started\",\"position\":99,\"at\":\"\"}"}) {
    const std::string damaged = text.substr(0, third) + line + "\n" + text.substr(third);
    std::ofstream(written.path, std::ios::binary | std::ios::trunc) << damaged;
    CHECK_THAT(refusal(ErrorKind::kData, [&] { Journal<Case>::resume(written.path); }),
               contains_text("line 3 cannot be used"));
    CHECK_THAT(written.refusal_to_create(), contains_text("line 3 cannot be used"));
    CHECK(text_of(written.path) == damaged);
  }
}

TEST_CASE("a journal of another version is left to that version") {
  const WrittenJournal written;
  written.half_done();
  std::string text = text_of(written.path);
  text.replace(text.find("\"journal_version\":1"), 19, "\"journal_version\":2");
  std::ofstream(written.path, std::ios::binary | std::ios::trunc) << text;
  CHECK_THAT(refusal(ErrorKind::kData, [&] { read_journal<Case>(written.path); }),
             contains_text("another version of gpubench"));
}

TEST_CASE("there is nothing to continue without a file or without a whole line") {
  const WrittenJournal written;
  CHECK_THAT(refusal(ErrorKind::kData, [&] { Journal<Case>::resume(written.path); }),
             contains_text("cannot be read"));
  CHECK_FALSE(fs::exists(written.path));
  std::ofstream(written.path) << "{\"event\":\"pla";
  CHECK_THAT(refusal(ErrorKind::kData, [&] { Journal<Case>::resume(written.path); }),
             contains_text("holds no whole line"));
  CHECK(written.refusal_to_create() == "accepted");
}

TEST_CASE("a run that was broken off is not overwritten, one that has ended is") {
  const WrittenJournal written;
  written.half_done();
  CHECK_THAT(written.refusal_to_create(), contains_text("with 1 of 4 cases done; continue it with --resume"));
  Journal<Case>::resume(written.path).run_ended();
  CHECK(written.refusal_to_create() == "accepted");
  CHECK(lines_of(written.path) == 1);
}

TEST_CASE("a journal has one writer") {
  const WrittenJournal written;
  const Journal<Case> journal = written.create();
  CHECK_THAT(refusal(ErrorKind::kUsage, [&] { Journal<Case>::resume(written.path); }),
             contains_text("another gpubench is writing to it"));
}

TEST_CASE("a journal is had once its writer is gone for good") {
  const WrittenJournal written;
  auto journal = std::make_unique<Journal<Case>>(written.create());
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    journal.reset();
  });
  CHECK_THAT(written.refusal_to_create(), contains_text("with 0 of 4 cases done"));
  writer.join();
}

TEST_CASE("a journal and its result find each other by name") {
  CHECK(journal_path("out/run.json") == "out/run.journal.jsonl");
  CHECK(journal_path("run") == "run.journal.jsonl");
  CHECK(journal_path("run.2.json") == "run.2.journal.jsonl");
  CHECK(journal_path("run.journal.jsonl") == "run.journal.jsonl");
  CHECK(result_path("out/run.journal.jsonl") == "out/run.json");
}

TEST_CASE("a journal that is a pipe is refused and not waited for") {
  const WrittenJournal written;
  REQUIRE(mkfifo(written.path.c_str(), 0600) == 0);
  CHECK_THAT(refusal(ErrorKind::kData, [&] { state_in(written.path); }), contains_text("no regular file"));
  // A pipe that somebody reads can be opened.
  const FileDescriptor reader(open(written.path.c_str(), O_RDONLY | O_NONBLOCK));
  CHECK_THAT(written.refusal_to_create(), contains_text("regular file"));
}

TEST_CASE("zeros that a power failure has left in a journal end it, as a torn line does") {
  const WrittenJournal written;
  written.half_done();
  const std::string whole = text_of(written.path);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  const std::size_t before = whole.rfind('\n', last - 2) + 1;
  std::string holed = whole;
  holed.replace(before + 4, last - before - 8, std::string(last - before - 8, '\0'));
  std::ofstream(written.path, std::ios::binary) << holed;

  const JournalState<Case> state = state_in(written.path);
  CHECK(state.rows[0].result.has_value());
  CHECK(state.rows[1].is_begun);
  CHECK(state.rows[1].row.epoch_seconds.empty());
  CHECK_THAT(state.warning, contains_text("its last line is torn"));
  Journal<Case>::resume(written.path).row_finished(1, written.run.ended(1, RowStatus::kOk));
  CHECK(state_in(written.path).rows[1].result.has_value());
}

}  // namespace gpubench::test
