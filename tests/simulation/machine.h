#pragma once
// Models of machines: variation of blocks and epochs in a process, and between processes.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"
#include "support/noise.h"

namespace gpubench::test {

using Series = std::vector<double>;

/// Blocks per epoch.
inline constexpr std::size_t kBlocks = 10;

/// Returns a first-order autoregression of variance 1; neighbours correlate by `autocorrelation`.
Series autoregression(Noise& noise, std::size_t count, double autocorrelation);

/// Variation within a process.
struct Process {
  std::string name;
  /// Returns the logarithms of successive blocks. Their epochs have a standard deviation of about 1.
  std::function<Series(Noise&, std::size_t)> blocks;
};

const std::vector<Process>& known_processes();

/// Variation between fresh processes.
struct Spread {
  std::string name;
  std::function<double(Noise&)> factor;  ///< Returns the factor on the times of a process.
};

/// Returns spreads with a standard deviation of `scatter`: normal logarithms, two speeds, heavy tails.
std::vector<Spread> known_spreads(double scatter);

/// Returns the spread of the processes of tests/fixtures/aa/mlp-cpu.txt.
Spread recorded_spread();

struct Machine {
  Process process;
  double within = 0;  ///< Relative standard deviation of epochs in a process.
  Spread spread;
};

using Epochs = std::vector<Series>;  ///< Seconds of the blocks of each epoch.

/// Returns epochs of about `seconds` each.
Epochs simulated_epochs(Noise& noise, const Machine& machine, std::size_t count, double seconds = 1);

/// Returns the time of each epoch.
Series to_seconds(const Epochs& epochs);

/// Returns the record of a process with a warm-up epoch and `epochs` more.
CaseRecord simulated_case(Noise& noise, const Machine& machine, std::size_t epochs, double seconds = 1);

/// Returns the long-run median epoch of a process, without `spread`.
double median_within(const Machine& machine);

/// Returns the median of the median epochs of processes with `epochs` epochs.
double median_between(const Machine& machine, std::size_t epochs);

}  // namespace gpubench::test
