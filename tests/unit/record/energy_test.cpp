#include "gpubench/record/derived.h"

#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/sample_energy.h"
#include "support/sample_runs.h"

namespace gpubench::test::energy_test {
namespace {

/// Returns a case with four timed epochs of 2 s.
CaseRecord case_on(const std::string& device) {
  CaseRecord record = timed_case("mlp", 128, 2, 0);
  record.device = device;
  record.epoch_seconds = {3, 2, 2, 2, 2};
  return record;
}

CaseRecord with(CaseRecord record, std::vector<EnergyRecord> sources) {
  record.energy = std::move(sources);
  return record;
}

}  // namespace

TEST_CASE("the energy per epoch is the mean over timed epochs") {
  const auto energy = case_energy(with_energy(case_on("cuda:0"), 100, PowerScope::kGpuBoard)).value();
  CHECK(energy.scope == PowerScope::kGpuBoard);
  CHECK(energy.method == EnergyMethod::kCounterDifference);
  CHECK(energy.meter == "nvml");
  CHECK(energy.epoch_joules == approx(200));
  CHECK(energy.mean_watts == approx(100));
  CHECK(energy.peak_watts.value() == approx(125));
  // Minus 55 W of idle power for 2 s.
  CHECK(energy.idle_watts.value() == approx(55));
  CHECK(energy.net_joules.value() == approx(90));
}

TEST_CASE("idle power needs one measurement, before or after; net energy needs idle power") {
  CaseRecord record = with_energy(case_on("cuda:0"), 100, PowerScope::kGpuBoard);
  record.energy[0].idle_after = missing("the meter ended");
  CHECK(case_energy(record).value().net_joules.value() == approx(100));
  record.energy[0].idle_before = missing("the meter came late");
  CHECK(case_energy(record).value().net_joules.reason() == "idle power: the meter came late");
}

TEST_CASE("net energy below the change of idle power is missing") {
  CaseRecord record = with_energy(case_on("cuda:0"), 100, PowerScope::kGpuBoard);
  const auto compute_net = [&] { return case_energy(record).value().net_joules; };
  record.energy[0].idle_before = Watts{40};
  record.energy[0].idle_after = Watts{100};
  CHECK(compute_net().reason() == "not measurable above idle");
  record.energy[0].idle_after = Watts{98};
  CHECK(compute_net().value() == approx(2 * 31));
}

TEST_CASE("parts of one scope are added, without a common peak") {
  const CaseRecord record = case_on("cpu");
  const auto energy = case_energy(with(record, {drawn(record, 100, PowerScope::kCpuPackage),
                                                drawn(record, 60, PowerScope::kCpuPackage),
                                                drawn(record, 20, PowerScope::kDram)}))
                          .value();
  CHECK(energy.epoch_joules == approx(320));
  CHECK(energy.mean_watts == approx(160));
  CHECK(energy.net_joules.value() == approx(320 - 2 * 110));
  CHECK(energy.peak_watts.reason() == "several parts may peak at different times");
}

TEST_CASE("the power of a device has precedence over that of its system") {
  const CaseRecord gpu = case_on("cuda:0");
  const CaseRecord cpu = case_on("cpu");
  const auto find_scope = [](const CaseRecord& record) { return case_energy(record).value().scope; };
  CHECK(find_scope(with(gpu, {drawn(gpu, 500, PowerScope::kSystem),
                              drawn(gpu, 100, PowerScope::kGpuBoard)})) == PowerScope::kGpuBoard);
  CHECK(find_scope(with(cpu, {drawn(cpu, 500, PowerScope::kSystem),
                              drawn(cpu, 100, PowerScope::kCpuPackage)})) == PowerScope::kCpuPackage);
  CHECK(find_scope(with(gpu, {drawn(gpu, 500, PowerScope::kSystem)})) == PowerScope::kSystem);
}

TEST_CASE("sources of another device or scope do not count") {
  const CaseRecord gpu = case_on("cuda:0");
  CHECK(case_energy(with(gpu, {drawn(case_on("cuda:1"), 100, PowerScope::kGpuBoard)})).reason() ==
        "no power source measures cuda:0");
  EnergyRecord log = drawn(gpu, 100, PowerScope::kCpuPackage);
  log.device = "";
  CHECK(case_energy(with(gpu, {log})).reason() == "no power source measures cuda:0");
  EnergyRecord board = drawn(case_on("cpu"), 100, PowerScope::kGpuBoard);
  board.device = "";
  CHECK(case_energy(with(case_on("cpu"), {board})).reason() == "no power source measures cpu");
}

TEST_CASE("an unmatched GPU counts for no case, even if it is the only one") {
  const CaseRecord gpu = case_on("cuda:0");
  EnergyRecord unmatched = drawn(gpu, 100, PowerScope::kGpuBoard);
  unmatched.device = "";
  unmatched.device_note = "the result does not record CUDA_VISIBLE_DEVICES";
  CHECK(case_energy(with(gpu, {unmatched})).reason() ==
        "no power source is known to measure cuda:0: the result does not record CUDA_VISIBLE_DEVICES");
  CHECK(case_energy(with(gpu, {unmatched, drawn(gpu, 500, PowerScope::kSystem)})).value().scope ==
        PowerScope::kSystem);
}

TEST_CASE("missing energy has a reason") {
  CaseRecord record = case_on("cuda:0");
  CHECK(case_energy(record).reason() == "energy was not measured");
  record.energy_note = "no power meter can be read";
  CHECK(case_energy(record).reason() == "no power meter can be read");
  CHECK(joules_per_1000_samples(record).reason() == "no power meter can be read");
  record = with_energy(record, 100, PowerScope::kGpuBoard);
  record.energy[0].energy = missing("the counter wrapped");
  CHECK(case_energy(record).reason() == "the counter wrapped");
  record = with_energy(case_on("cuda:0"), 100, PowerScope::kGpuBoard);
  record.energy[0].window = Seconds{0};
  CHECK(case_energy(record).reason() == "no epoch after the warm-up");
}

TEST_CASE("joules per 1,000 samples follow from the energy per epoch") {
  CaseRecord record = with_energy(case_on("cuda:0"), 100, PowerScope::kGpuBoard);
  CHECK(joules_per_1000_samples(record).value() == approx(200.0 / 50));
  record.train_samples = 0;
  CHECK(joules_per_1000_samples(record).reason() == "no samples");
}

TEST_CASE("sustained speed compares the second half with the first minute") {
  const auto speed = sustained_speed(soaked_case()).value();
  CHECK(speed.burst_samples_per_second == approx(5000));
  CHECK(speed.sustained_samples_per_second == approx(4000));
  CHECK(speed.kept == approx(0.8));
  // After seven timed epochs of 10 s.
  CHECK(speed.onset_seconds.value() == approx(70));
}

}  // namespace gpubench::test::energy_test
