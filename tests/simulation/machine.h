#pragma once
// Models of machines: how the blocks of a process's epochs, and processes, differ.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"
#include "support/noise.h"

namespace gpubench::test {

using Series = std::vector<double>;

/// Blocks that an epoch has.
inline constexpr std::size_t kBlocks = 10;

/// Returns a first-order autoregression of variance 1; neighbours correlate by `likeness`.
Series autoregression(Noise& noise, std::size_t count, double likeness);

/// What one process does.
struct Process {
  std::string name;
  /// So many blocks one after the other, as logarithms; epochs of them have a standard deviation of about 1.
  std::function<Series(Noise&, std::size_t)> blocks;
};

/// All of them.
const std::vector<Process>& known_processes();

/// How fresh processes differ.
struct Spread {
  std::string name;
  std::function<double(Noise&)> factor;  ///< Of the time of one of them.
};

/// With a standard deviation of `scatter`: normal logarithms, two speeds, heavy tails.
std::vector<Spread> known_spreads(double scatter);

/// The processes of tests/fixtures/aa/mlp-cpu.txt, one by chance.
Spread recorded_spread();

struct Machine {
  Process process;
  double within = 0;  ///< Standard deviation of epochs in a process, relative.
  Spread spread;
};

/// Blocks of an epoch each, in seconds; all together take about `seconds`.
using Epochs = std::vector<Series>;
Epochs simulated_epochs(Noise& noise, const Machine& machine, std::size_t count, double seconds = 1);

/// The time of each.
Series to_seconds(const Epochs& epochs);

/// What gpubench would record of a process: a warm-up epoch, then so many more.
CaseRecord simulated_case(Noise& noise, const Machine& machine, std::size_t epochs, double seconds = 1);

/// Median epoch of a process in the long run; `spread` is left out.
double median_within(const Machine& machine);

/// Median of what processes of so many epochs take.
double median_between(const Machine& machine, std::size_t epochs);

}  // namespace gpubench::test
