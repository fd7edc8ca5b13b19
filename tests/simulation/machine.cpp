#include "simulation/machine.h"

#include <cmath>
#include <fstream>
#include <numbers>
#include <numeric>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "support/compared_runs.h"
#include "support/paths.h"

namespace gpubench::test {
namespace {

const double kRoot = std::sqrt(static_cast<double>(kBlocks));

/// Returns the standard deviation of the mean of an epoch's blocks.
double deviation_of_epoch(double autocorrelation) {
  double sum = static_cast<double>(kBlocks);
  for (std::size_t i = 1; i < kBlocks; ++i)
    sum += 2 * static_cast<double>(kBlocks - i) * std::pow(autocorrelation, static_cast<double>(i));
  return std::sqrt(sum) / static_cast<double>(kBlocks);
}

Process alike(const std::string& name, double autocorrelation) {
  const double deviation = deviation_of_epoch(autocorrelation);
  return {name, [=](Noise& noise, std::size_t count) {
            Series blocks = autoregression(noise, count, autocorrelation);
            for (double& block : blocks) block /= deviation;
            return blocks;
          }};
}

/// One block of fifty is slow.
Series with_slow_blocks(Noise& noise, std::size_t count) {
  Series blocks(count);
  for (double& block : blocks) block = 1.5 * noise.normal() + (noise.uniform() < 0.02 ? 12 : 0);
  return blocks;
}

/// One epoch of ten is slow.
Series with_slow_epochs(Noise& noise, std::size_t count) {
  Series blocks(count);
  double slow = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kBlocks == 0) slow = noise.uniform() < 0.1 ? 6 : 0;
    blocks[i] = 1.5 * noise.normal() + slow;
  }
  return blocks;
}

/// Half of the variance is between epochs.
Series with_own_epochs(Noise& noise, std::size_t count) {
  Series blocks(count);
  double epoch = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kBlocks == 0) epoch = noise.normal();
    blocks[i] = (epoch + kRoot * noise.normal()) / std::numbers::sqrt2;
  }
  return blocks;
}

/// Half of the variance is correlated over about two epochs, half is independent.
Series wandering(Noise& noise, std::size_t count) {
  Series blocks = alike("", 0.95).blocks(noise, count);
  for (double& block : blocks) block = (block + kRoot * noise.normal()) / std::numbers::sqrt2;
  return blocks;
}

/// Slow for a quarter of the time, for about five blocks at once.
Series of_two_speeds(Noise& noise, std::size_t count) {
  Series blocks(count);
  bool is_slow = noise.uniform() < 0.25;
  for (double& block : blocks) {
    if (noise.uniform() < (is_slow ? 0.2 : 0.2 / 3)) is_slow = !is_slow;
    block = noise.normal() + (is_slow ? 4 : 0);
  }
  return blocks;
}

/// Slow oscillation with a period of fifty epochs.
Series drifting(Noise& noise, std::size_t count) {
  const double start = noise.uniform();
  Series blocks(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double turns = start + static_cast<double>(i) / static_cast<double>(50 * kBlocks);
    blocks[i] = 1.3 * std::sin(2 * std::numbers::pi * turns) + noise.normal();
  }
  return blocks;
}

double compute_sum(const Series& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

Series autoregression(Noise& noise, std::size_t count, double autocorrelation) {
  Series values;
  for (double state = noise.normal(); values.size() < count;) {
    values.push_back(state);
    state = autocorrelation * state + std::sqrt(1 - autocorrelation * autocorrelation) * noise.normal();
  }
  return values;
}

const std::vector<Process>& known_processes() {
  static const std::vector<Process> processes{alike("independent", 0),
                                              alike("autocorrelation 0.3", 0.3),
                                              alike("autocorrelation 0.6", 0.6),
                                              alike("autocorrelation 0.9", 0.9),
                                              {"slow blocks", with_slow_blocks},
                                              {"slow epochs", with_slow_epochs},
                                              {"epochs and blocks", with_own_epochs},
                                              {"two speeds", of_two_speeds},
                                              {"wandering", wandering},
                                              {"drift", drifting}};
  return processes;
}

std::vector<Spread> known_spreads(double scatter) {
  const auto normal = [scatter](Noise& noise) { return std::exp(scatter * noise.normal()); };
  const auto two_speeds = [scatter](Noise& noise) {
    return std::exp(scatter * ((noise.uniform() < 0.3 ? 2.1 : 0) + 0.25 * noise.normal()));
  };
  const auto heavy_tails = [scatter](Noise& noise) {  // Student's with 3 degrees of freedom.
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(noise.normal(), 2);
    return std::exp(scatter * noise.normal() / std::sqrt(squares));
  };
  return {{"normal", normal}, {"two speeds", two_speeds}, {"heavy tails", heavy_tails}};
}

Spread recorded_spread() {
  Series seconds;
  std::ifstream in(fixtures_dir() + "/aa/mlp-cpu.txt");
  for (double value = 0; in >> value;) seconds.push_back(value);
  const double median = compute_median(seconds);
  for (double& value : seconds) value /= median;
  return {"recorded", [seconds](Noise& noise) { return seconds[noise.below(seconds.size())]; }};
}

Epochs simulated_epochs(Noise& noise, const Machine& machine, std::size_t count, double seconds) {
  const double each = seconds / static_cast<double>(kBlocks) * machine.spread.factor(noise);
  const Series logarithms = machine.process.blocks(noise, count * kBlocks);
  Epochs epochs(count);
  for (std::size_t i = 0; i < logarithms.size(); ++i)
    epochs[i / kBlocks].push_back(each * std::exp(machine.within * logarithms[i]));
  return epochs;
}

Series to_seconds(const Epochs& epochs) { return mapped(epochs, compute_sum); }

CaseRecord simulated_case(Noise& noise, const Machine& machine, std::size_t epochs, double seconds) {
  CaseRecord record = timed_case("mlp", 128, seconds, 0);
  record.device = "cpu";
  record.blocks_per_epoch = static_cast<std::int64_t>(kBlocks);
  record.block_steps.assign(kBlocks, 1);
  const Epochs all = simulated_epochs(noise, machine, epochs + 1, seconds);
  record.epoch_seconds = to_seconds(all);
  for (const Series& blocks : all) append(record.block_seconds, blocks);
  return record;
}

double median_within(const Machine& machine) {
  Noise noise(1);
  const Machine one{machine.process, machine.within, {"", [](Noise&) { return 1.0; }}};
  return compute_median(to_seconds(simulated_epochs(noise, one, 20000)));
}

double median_between(const Machine& machine, std::size_t epochs) {
  Noise noise(2);
  Series medians;
  while (medians.size() < 5000)
    medians.push_back(compute_median(to_seconds(simulated_epochs(noise, machine, epochs))));
  return compute_median(medians);
}

}  // namespace gpubench::test
