#include "engine/sweep/sweep.h"

#include "small_run.h"
#include "support/catch.h"

namespace gpubench::test::forecast_test {
namespace {

/// A device that takes 1 s for 100 FLOP, 1,000 bytes or 10 operations.
Environment make_environment(const std::string& device) {
  DeviceRecord record;
  record.name = device;
  record.peak_flops_per_second = NamedValues{{"fp32", 100}};
  record.triad_bytes_per_second = 1000.0;
  record.launch_latency = Seconds{0.1};
  Environment environment;
  environment.devices = {record};
  return environment;
}

/// 10 FLOP and 10 bytes per sample, 500 bytes and 5 operations per step.
constexpr StepCosts kCosts{{40, 5, 540}, {80, 5, 580}};

Measured<Seconds> training(const Case& c, const CaseRecord& planned) {
  return forecast(c, planned, kCosts, make_environment("cpu")).then([](const Forecast& expected) {
    return expected.training;
  });
}

}  // namespace

TEST_CASE("a forecast is the counted work at the device's peaks, and lower for larger batches") {
  const SmallRun plan({16, 32});
  // Three epochs of 96 samples, and 8 evaluated samples at a third of the cost.
  const double samples = 3 * 96 + 8 / 3.0;
  CHECK(training(plan.cases[0], plan.rows[0]).value().value == approx(samples / 16 * (1.6 + 0.66 + 0.5)));
  CHECK(training(plan.cases[1], plan.rows[1]).value().value == approx(samples / 32 * (3.2 + 0.82 + 0.5)));
  CHECK(forecast(plan.cases[0], plan.rows[0], kCosts, make_environment("cpu")).value().epochs == 3);
}

TEST_CASE("a forecast is missing with the reason for an unknown peak or several ranks") {
  const SmallRun plan({16});
  Case c = plan.cases[0];
  CHECK_THAT(forecast(c, plan.rows[0], kCosts, make_environment("cuda:0")).reason(), contains_text("cpu"));
  c.asked.ranks = 2;
  CHECK_THAT(training(c, plan.rows[0]).reason(), contains_text("exchanges between ranks"));
}

}  // namespace gpubench::test::forecast_test
