#include "engine/sweep/journal.h"
#include "gpubench/core/error.h"
#include "small_run.h"
#include "support/catch.h"

namespace gpubench::test {
namespace {

/// A journal of the run, in memory.
Journal<Case> planned(const SmallRun& run) {
  return Journal<Case>::create({}, run.header, run.cases, run.rows, {});
}

}  // namespace

TEST_CASE("a run is the same where its plan and its machine are, whoever wrote it down") {
  const SmallRun run;
  const JournalState<Case> state = planned(run).state();
  CHECK(differences(state, run.header, run.cases).empty());
  const SmallRun again;
  CHECK(differences(state, again.header, again.cases).empty());
}

TEST_CASE("what differs between two runs is said, the journal's value first") {
  const SmallRun run;
  const JournalState<Case> state = planned(run).state();
  SmallRun other({16, 64});
  other.header.environment.threads = 3;
  other.header.environment.libtorch_version = "9.9";
  other.header.environment.datasets.front().files.front().sha256 = "ffff";
  const auto found = differences(state, other.header, other.cases);
  CHECK(found.size() == 5);
  CHECK_THAT(join(found, "\n"), contains_text("run, threads: 8 in the journal, 3 now"));
  CHECK_THAT(join(found, "\n"), contains_text("run, LibTorch: \"2.11.0\" in the journal, \"9.9\" now"));
  CHECK_THAT(join(found, "\n"), contains_text("dataset, fashion-mnist: "));
  CHECK_THAT(join(found, "\n"), contains_text("case 2, batch: 32 in the journal, 64 now"));
  CHECK_THAT(join(found, "\n"), contains_text("case 4, batch: 32 in the journal, 64 now"));
}

TEST_CASE("another board of the same name is another run, where both tell their UUID") {
  SmallRun run;
  SmallRun other;
  REQUIRE_FALSE(run.header.environment.devices.empty());
  other.header.environment.devices.front().uuid = std::string("GPU-22");
  CHECK(differences(planned(run).state(), other.header, other.cases).empty());
  run.header.environment.devices.front().uuid = std::string("GPU-11");
  const auto found = differences(planned(run).state(), other.header, other.cases);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], contains_text(": \"GPU-11\" in the journal, \"GPU-22\" now"));
}

TEST_CASE("of many different cases the first few are said and the others counted") {
  const SmallRun run;
  const SmallRun other({1, 2}, 4);
  const auto found = differences(planned(run).state(), other.header, other.cases);
  CHECK_THAT(join(found, "\n"), contains_text("cases: 4 in the journal, 16 now"));
  CHECK(found.size() <= 7);
}

TEST_CASE("a case that was added later does not make a run another one") {
  const SmallRun run;
  Journal<Case> journal = planned(run);
  CHECK(journal.add_row(run.cases[0], run.rows[0]) == 4);
  CHECK(differences(journal.state(), run.header, run.cases).empty());
  CHECK(document_of(journal.state()).cases.size() == 5);
}

}  // namespace gpubench::test
