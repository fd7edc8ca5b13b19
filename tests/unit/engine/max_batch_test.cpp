#include "engine/sweep/sweep.h"

#include "simulated_machine.h"
#include "small_run.h"
#include "support/catch.h"

namespace gpubench::test::max_batch_test {
namespace {

MaxBatch search(std::int64_t memory, std::int64_t samples, std::size_t* trials = nullptr) {
  const SmallRun plan;
  FakeClock clock;
  SimulatedMachine machine(clock);
  machine.memory = memory;
  RowControl control;
  const MaxBatch found =
      find_max_batch(plan.cases[0], samples, machine, control, [](std::int64_t, const Pilot&) {});
  if (trials) *trials = machine.pilots.size();
  return found;
}

}  // namespace

TEST_CASE("the largest batch is found to 1 %, with the memory per sample") {
  std::size_t trials = 0;
  const MaxBatch found = search(1000 + 10 * 7777, 50'000, &trials);
  CHECK(found.batch_size <= 7777);
  CHECK(found.batch_size >= 7777 * 98 / 100);
  CHECK(found.failed_size > 7777);
  CHECK(found.failure == "oom: full");
  CHECK(found.bytes_per_sample.value() == Bytes{10});
  CHECK(found.peak.value() == Bytes{SimulatedMachine::bytes(found.batch_size)});
  CHECK(trials < 25);
}

TEST_CASE("if the first batch does not fit, smaller ones are tried") {
  const MaxBatch found = search(1000 + 10 * 9, 1000);  // The search starts at 16.
  CHECK(found.batch_size == 9);
  CHECK(found.failed_size == 10);
}

TEST_CASE("if no batch fits, the result is 0") {
  const MaxBatch found = search(10, 1000);
  CHECK(found.batch_size == 0);
  CHECK_FALSE(found.bytes_per_sample.has_value());
}

}  // namespace gpubench::test::max_batch_test
