// Joules of logs, compared with the exact fractions of tests/fixtures/power/make_power.py.

#include <cmath>
#include <string>
#include <vector>

#include "log_text.h"
#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::log_energy_test {
namespace {

const std::string kFolder = fixtures_dir() + "/power/";

/// Returns windows relative to `start`.
std::vector<TimeSpan> windows_from(double start, const std::vector<std::pair<double, double>>& ends) {
  std::vector<TimeSpan> windows;
  for (const auto& [begin, end] : ends) windows.push_back({Seconds{start + begin}, Seconds{start + end}});
  return windows;
}

EnergyRecord spike_energy(const PowerTrace& trace, const std::vector<TimeSpan>& windows) {
  return power::Evaluation::compute_spike_energy(trace, windows);
}

bool is_close(const EnergyRecord& estimate, double joules) {
  INFO(estimate.energy.reason());
  REQUIRE(estimate.energy.has_value());
  return std::abs(estimate.energy.value().value / joules - 1) < 1e-9;
}

}  // namespace

TEST_CASE("joules of a log of nvidia-smi agree with exact fractions") {
  const PowerTrace trace = read_power_log(kFolder + "nvidia-smi-exact.csv", by_utc()).traces[0];
  const auto windows = windows_from(1702838957.5, {{2.25, 6.5}, {6.5, 10.75}, {11.125, 15.125}});
  CHECK(is_close(power::Evaluation(trace).compute_energy(windows), 2869.658515625));
  CHECK(
      is_close(power::Evaluation(trace).compute_energy(std::span(windows).subspan(1, 1)), 980.776848958333));
  CHECK(is_close(power::Evaluation(trace).compute_energy(std::span(windows).subspan(2, 1)), 920.3475));
  CHECK(is_close(spike_energy(trace, windows), 2885.569444444444));
}

TEST_CASE("joules of a log of powermetrics agree with exact fractions, with means moved back") {
  const PowerTrace trace = read_power_log(kFolder + "powermetrics-exact.txt", {}).traces[0];
  const auto windows = windows_from(1702814193, {{2.25, 5.25}, {5.25, 8.125}, {8.375, 11}});
  CHECK(is_close(power::Evaluation(trace).compute_energy(windows), 343.1004375));
  CHECK(is_close(spike_energy(trace, windows), 344.744416666667));
}

}  // namespace gpubench::test::log_energy_test
