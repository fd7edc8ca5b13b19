// Rates of false alarms and of detected trends.

#include <cmath>
#include <functional>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test::trend_simulation_test {
namespace {

using Series = std::vector<double>;

constexpr int kTrials = 1000;
constexpr double kMostFalseAlarms = 0.07;

/// Returns a first-order autoregression with variance 1.
Series autoregression(Noise& noise, std::size_t count, double autocorrelation) {
  Series values;
  double value = noise.normal();
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(value);
    value = autocorrelation * value + std::sqrt(1 - autocorrelation * autocorrelation) * noise.normal();
  }
  return values;
}

/// Returns times of about 1 with this scatter, rising by `drift` from the first to the last.
Series times(Noise& noise, std::size_t count, double autocorrelation, double scatter, double drift) {
  Series values = autoregression(noise, count, autocorrelation);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = 1 + scatter * values[i] + drift * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return values;
}

double compute_rate(const std::function<bool(Noise&)>& is_hit) {
  Noise noise(11);
  int hits = 0;
  for (int i = 0; i < kTrials; ++i) hits += is_hit(noise) ? 1 : 0;
  return static_cast<double>(hits) / kTrials;
}

}  // namespace

TEST_CASE("false trends are rare at any autocorrelation") {
  const double autocorrelation = GENERATE(0.0, 0.3, 0.6, 0.9);
  const double rate = compute_rate(
      [&](Noise& noise) { return compute_trend(autoregression(noise, 50, autocorrelation)).is_significant; });
  INFO("autocorrelation " << autocorrelation << ": " << rate);
  CHECK(rate <= kMostFalseAlarms);
  CHECK(rate >= 0.01);
}

TEST_CASE("false trends are rare in blocks of epochs whose first block is slower") {
  const double autocorrelation = GENERATE(0.0, 0.3, 0.6, 0.9);
  const std::size_t epochs = GENERATE(2u, 3u, 5u, 10u);
  const double rate = compute_rate([&](Noise& noise) {
    Series blocks = times(noise, 10 * epochs, autocorrelation, 0.045, 0);
    for (std::size_t i = 0; i < blocks.size(); i += 10) blocks[i] += 0.5;
    return !is_level(blocks, 10);
  });
  INFO(epochs << " epochs, autocorrelation " << autocorrelation << ": " << rate);
  CHECK(rate <= kMostFalseAlarms);
}

TEST_CASE("a drift of 10 % over five epochs is found in their blocks") {
  const auto found = [](std::size_t count, std::size_t period, double scatter) {
    return compute_rate(
        [=](Noise& noise) { return !is_level(times(noise, count, 0, scatter, 0.1), period); });
  };
  CHECK(found(5, 1, 0.045) < 0.1);  // Epochs alone rarely show it.
  CHECK(found(50, 10, 0.045) > 0.9);
  CHECK(found(20, 10, 0.045) > 0.2);  // The blocks of two epochs sometimes show it.
}

TEST_CASE("a strong drift is found despite autocorrelation") {
  CHECK(compute_rate([](Noise& noise) { return !is_level(times(noise, 100, 0.6, 0.045, 0.2), 10); }) > 0.9);
}

}  // namespace gpubench::test::trend_simulation_test
