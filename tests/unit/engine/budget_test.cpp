#include "engine/sweep/sweep.h"

#include <algorithm>

#include "simulated_machine.h"
#include "small_run.h"
#include "support/catch.h"

namespace gpubench::test::budget_test {
namespace {

/// A SmallRun on a simulated machine, within a budget.
struct BudgetRun {
  explicit BudgetRun(Seconds budget, const std::vector<std::int64_t>& batches = {16, 32}, Seconds before = {})
      : plan(batches), recorder(plan.begin()) {
    const SweepServices services{machine, {}, recorder, progress, interrupts, clock, [] {}};
    const Seconds start = clock.now();
    clock.advance(before);
    is_through = run_within_budget(
        plan.work(), unfinished(recorder, execution_order(mapped(plan.work(), get_repeat), 0)),
        {budget, start}, services, [this](const std::string& sentence) { reported = sentence; });
    took = clock.now() - start;
    document = recorder.document();
  }
  std::size_t count(RowStatus status) const {
    return static_cast<std::size_t>(
        std::count_if(document.cases.begin(), document.cases.end(),
                      [&](const CaseRecord& row) { return row.status == status; }));
  }

  SmallRun plan;
  FakeClock clock;
  SimulatedMachine machine{clock};
  Progress progress;
  QuietInterrupts interrupts;
  Recorder recorder;
  bool is_through = false;
  Seconds took;
  RunRecord document;
  std::string reported;
};

}  // namespace

TEST_CASE("pilots leave time for cases, and the budget includes earlier work") {
  const BudgetRun spent(Seconds{14});  // The pilots of both models take 12 s.
  CHECK(spent.document.cases[0].status == RowStatus::kOk);
  CHECK(spent.took.value <= 14 + 3);
  const BudgetRun late(Seconds{14}, {16, 32}, Seconds{14});
  CHECK(late.machine.pilots.empty());
  CHECK(late.machine.ran.empty());
  CHECK(late.count(RowStatus::kSkipped) == late.document.cases.size());
}

TEST_CASE("an aborted pilot is repeated after the cases that fit") {
  const BudgetRun spent(Seconds{40}, {16});  // A third of it, 13 s, is enough for both pilots of 3 s.
  CHECK(spent.machine.pilots == std::vector<std::string>{"flat:16", "net:16"});
  const BudgetRun scarce(Seconds{15}, {16});  // 5 s are not enough.
  CHECK(scarce.machine.pilots == std::vector<std::string>{"flat:16", "net:16", "net:16"});
  CHECK(scarce.machine.ran.front() == "flat:16#1");
}

TEST_CASE("the remaining time goes to repeats of uncertain cases only") {
  const BudgetRun spent(Seconds{200});
  CHECK(spent.count(RowStatus::kSkipped) == 0);
  // After three repeats the uncertainty is known, and zero on a simulated machine.
  CHECK(spent.document.cases.size() == 4 * 3);
  for (const CaseRecord& row : spent.document.cases) CHECK(row.repeat <= 3);
  CHECK(spent.took.value < 150);
}

TEST_CASE("all cases have a second repeat before any has a third") {
  const BudgetRun spent(Seconds{200});
  REQUIRE(spent.machine.ran.size() == 12);
  for (std::size_t i = 0; i < spent.machine.ran.size(); ++i) {
    CHECK(spent.machine.ran[i].ends_with("#" + std::to_string(1 + i / 4)));
  }
}

}  // namespace gpubench::test::budget_test
