#include "engine/sweep/recorder.h"

#include "record/document/record_json.h"
#include "small_run.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::recorder_test {
namespace {

namespace fs = std::filesystem;

std::string to_text(const RunRecord& run) { return json_text(run_to_json(run)); }

std::string rows_text(const RunRecord& run) {
  std::string text;
  for (const CaseRecord& row : run.cases) text += json_text(raw_json(row)) + "\n";
  return text;
}

/// A run of four cases and its store.
struct RecordedRun {
  Recorder begin() { return plan.begin(store); }

  /// Returns a run whose first case is finished and whose second case is in its third epoch.
  Recorder half_done() {
    Recorder recorder = begin();
    recorder.start(0);
    recorder.finish(0, plan.ended(0, RowStatus::kOk));
    recorder.start(1);
    recorder.add_epoch(1, small_epoch());
    recorder.add_epoch(1, small_epoch());
    return recorder;
  }

  /// Returns the run as another process would load it.
  RunRecord stored() const {
    const Store other(path, Database::Access::kRead);
    const RunId run = other.find_run(plan.header.tool.run_id.value()).value();
    return make_document(other.load_header(run), other.load_rows(run));
  }

  void change_from_outside(const char* sql) const { Database(path, Database::Access::kWrite).run(sql); }

  TempDir dir;
  fs::path path = dir.path() / "host.sqlite";
  OptionalStore store{path};
  SmallRun plan;
};

}  // namespace

TEST_CASE("the store equals the recorder's state after each change") {
  RecordedRun run;
  Recorder recorder = run.begin();
  const auto check = [&] { CHECK(to_text(run.stored()) == to_text(recorder.document())); };
  check();
  recorder.start(0), check();
  recorder.add_epoch(0, small_epoch()), check();
  recorder.add_epoch(0, small_epoch()), check();
  recorder.finish(0, run.plan.ended(0, RowStatus::kDiverged, "the loss is \xff\nno number")), check();
  recorder.start(0), check();  // --resume starts a failed row again.
  recorder.add_epoch(0, small_epoch()), check();
  recorder.finish(0, run.plan.ended(0, RowStatus::kInterrupted, "ended between two epochs")), check();
  recorder.start(recorder.add_row(run.plan.rows[1])), check();
  DeviceRecord faster = run.plan.header.environment.devices.front();
  faster.peak_flops_per_second = NamedValues{{"fp32", 2e9}};
  recorder.raise_peak(faster), check();
  recorder.end();
  CHECK_FALSE(run.stored().tool.finished_at.has_value());
  recorder.save(recorder.document()), check();
}

TEST_CASE("the document of an unfinished run has a row per case, with its progress") {
  RecordedRun run;
  const RunRecord document = run.half_done().document();
  REQUIRE(document.cases.size() == 4);
  CHECK(raw_json(document.cases[0]) == raw_json(run.plan.ended(0, RowStatus::kOk)));
  CHECK(document.cases[1].status == RowStatus::kInterrupted);
  CHECK(document.cases[1].epoch_seconds == std::vector<double>{0.5, 0.5});
  CHECK(document.cases[1].started_at.has_value());
  CHECK_THAT(document.cases[1].status_reason, contains_text("while this row was running"));
  CHECK_THAT(document.cases[2].status_reason, contains_text("before this row began"));
  CHECK_FALSE(document.tool.finished_at.has_value());
}

TEST_CASE("a run resumes from its store or its document with the same state") {
  RecordedRun run;
  const RunRecord document = run.half_done().document();
  RecordedRun elsewhere;
  for (RecordedRun* const place : {&run, &elsewhere}) {
    const RunRecord former = place == &run ? run.stored() : run_from_json(run_to_json(document));
    Recorder recorder = Recorder::resume(former, place->plan.planned(), place->store, "/run.json");
    CHECK(rows_text(recorder.document()) == rows_text(place->stored()));
    CHECK(recorder.rows()[0].has_ended);
    CHECK(recorder.document().cases[1].epoch_seconds.empty());
    for (const std::size_t position : {1u, 2u, 3u}) {
      recorder.start(position);
      recorder.add_epoch(position, small_epoch());
      recorder.finish(position, place->plan.ended(position, RowStatus::kOk));
    }
  }
  CHECK(rows_text(run.stored()) == rows_text(elsewhere.stored()));
  CHECK(run.stored().cases[1].epoch_seconds.size() == 3);
}

TEST_CASE("resuming adds rows of the document that are missing in the store") {
  RecordedRun run;
  Recorder before = run.begin();
  RunRecord document = before.document();
  document.cases[2] = run.plan.ended(2, RowStatus::kOk);
  document.tool.finished_at = std::string("2026-11-26T00:00:00Z");
  const Recorder recorder = Recorder::resume(document, run.plan.planned(), run.store, "/run.json");
  CHECK(to_text(run.stored()) == to_text(recorder.document()));
  CHECK(run.stored().cases[2].status == RowStatus::kOk);
  CHECK(run.store.get()->unfinished_runs().size() == 1);
}

TEST_CASE("the document stays complete if the store fails during a run") {
  RecordedRun run;
  Recorder recorder = run.half_done();
  run.change_from_outside("DROP TABLE epoch");
  recorder.add_epoch(1, small_epoch());
  CHECK(run.store.get() == nullptr);
  for (const std::size_t position : {1u, 2u, 3u})
    recorder.finish(position, run.plan.ended(position, RowStatus::kOk));
  recorder.end();
  const RunRecord document = recorder.document();
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(raw_json(document.cases[i]) == raw_json(run.plan.ended(i, RowStatus::kOk)));
}

TEST_CASE("a store that failed temporarily contains the whole run after save()") {
  RecordedRun run;
  run.change_from_outside("CREATE TRIGGER full BEFORE UPDATE ON row BEGIN SELECT RAISE(ABORT, 'full'); END");
  Recorder recorder = run.half_done();
  CHECK(run.store.get() == nullptr);
  run.change_from_outside("DROP TRIGGER full");
  recorder.end();
  recorder.save(recorder.document());
  CHECK(to_text(run.stored()) == to_text(recorder.document()));
}

}  // namespace gpubench::test::recorder_test
