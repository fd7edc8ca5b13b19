#include "support/sample_energy.h"

#include <algorithm>

#include "gpubench/record/derived.h"
#include "support/compared_runs.h"

namespace gpubench::test {
namespace {

Seconds find_window(const CaseRecord& record) {
  Seconds window;
  for (const double seconds : steady_epochs(record)) window = window + Seconds{seconds};
  return window;
}

EnergyRecord board() {
  EnergyRecord energy;
  energy.meter = "nvml";
  energy.part = "GPU 0 GPU 6000";
  energy.device = "cuda:0";
  energy.scope = PowerScope::kGpuBoard;
  energy.quantity = "energy counter";
  energy.method = EnergyMethod::kCounterDifference;
  energy.energy = Joules{375.5};
  energy.epoch_joules = {70, 55, 50, 50, 75, 50.5, 49.5, 50.5, 50};
  energy.window = Seconds{3.75390625};
  energy.peak = Watts{125};
  energy.idle_before = Watts{20};
  energy.idle_after = Watts{30};
  energy.coverage = 0.984375;
  energy.samples = 37;
  energy.source_period = Seconds{0.1};
  energy.sampler_load = 0.0078125;
  return energy;
}

void add_states(EnergyRecord& energy) {
  energy.watts_start = Seconds{-1};
  energy.watts_step = Seconds{1};
  energy.watts = {20, 40, 100, 105, 110, 95, 30};
  energy.temperature_celsius = std::vector<double>{50, 52, 55, 58, 60, 61, 62, 62, 62};
  energy.clock_hertz = std::vector<double>(9, 1.5e9);
  energy.epoch_limit_watts = std::vector<double>(9, 300.0);
  energy.epoch_throttle = {"", "", "", "", "power cap", "power cap, heat", "", "", ""};
  energy.notes = {"the counter steps by 0.5 J"};
}

EnergyRecord package() {
  EnergyRecord energy;
  energy.meter = "rapl";
  energy.part = "package-0";
  energy.scope = PowerScope::kCpuPackage;
  energy.device = "cpu";
  energy.quantity = "instantaneous power";
  energy.energy = missing("no sample lies within the timed epochs");
  energy.window = Seconds{3.75390625};
  return energy;
}

}  // namespace

EnergyRecord drawn(const CaseRecord& record, double watts, PowerScope scope) {
  EnergyRecord energy;
  energy.meter = "nvml";
  energy.device = record.device;
  energy.scope = scope;
  energy.quantity = "energy counter";
  energy.method = EnergyMethod::kCounterDifference;
  energy.window = find_window(record);
  const double joules = watts * energy.window.value;
  energy.energy = Joules{joules};
  energy.peak = Watts{1.25 * watts};
  energy.idle_before = Watts{50};
  energy.idle_after = Watts{60};
  energy.coverage = 1.0;
  energy.samples = 40;
  energy.source_period = Seconds{0.1};
  return energy;
}

CaseRecord with_energy(CaseRecord record, double watts, PowerScope scope) {
  record.energy = {drawn(record, watts, scope)};
  return record;
}

std::vector<EnergyRecord> two_sources() {
  std::vector<EnergyRecord> sources{board(), package()};
  add_states(sources.front());
  return sources;
}

CaseRecord soaked_case() {
  constexpr std::size_t kEpochs = 24;
  constexpr std::size_t kCool = 8;
  CaseRecord record = timed_case("cnn", 128, 10, 0);
  record.device = "cuda:0";
  record.epochs = kEpochs;
  record.min_epochs = kEpochs;
  record.min_timed = Seconds{240};
  record.epoch_seconds = std::vector<double>(kEpochs, 12.5);
  std::fill_n(record.epoch_seconds.begin(), kCool, 10.0);
  Seconds start{5};
  for (std::size_t i = 0; i < kEpochs; ++i) {
    record.timeline.push_back({"epoch " + std::to_string(i + 1), start, Seconds{record.epoch_seconds[i]}});
    start = start + Seconds{record.epoch_seconds[i]};
  }
  EnergyRecord energy = drawn(record, 300, PowerScope::kGpuBoard);
  energy.watts_start = Seconds{-15};
  energy.watts_step = Seconds{5};
  energy.watts = {50, 50, 50, 120};
  energy.watts.resize(24, 320);
  energy.watts.resize(60, 290);
  energy.watts.resize(62, 60);
  for (std::size_t i = 0; i < kEpochs; ++i) {
    const bool is_cool = i < kCool;
    energy.temperature_celsius.push_back(is_cool ? 60 + 3 * static_cast<double>(i) : 84);
    energy.clock_hertz.push_back(is_cool ? 1.98e9 : 1.5e9);
    energy.epoch_throttle.push_back(is_cool ? "" : "heat");
  }
  record.energy = {energy};
  return record;
}

}  // namespace gpubench::test
