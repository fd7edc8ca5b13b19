#include "engine/validation/plausibility.h"

#include <functional>

#include "gpubench/record/environment.h"
#include "support/catch.h"

namespace gpubench::test::memory_growth_test {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// Returns a case with one warm-up epoch and host memory of 500 MiB plus `extra_mib` in each epoch.
CaseRecord host_case(int epochs, const std::function<double(int)>& extra_mib) {
  CaseRecord record;
  record.warmup_epochs = 1;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    record.epoch_host_bytes.push_back(500 * kMiB + static_cast<std::int64_t>(extra_mib(epoch) * kMiB));
  }
  return record;
}

/// Returns noise between -1 and 1 without a trend, independent of the library's generators.
double noise(int epoch) { return static_cast<double>((epoch * 7919 + 13) % 101) / 50.0 - 1; }

void check_silent(const CaseRecord& record) { CHECK(growth_warnings(record).empty()); }

}  // namespace

TEST_CASE("steady memory growth gives a warning with the growth and the number of epochs") {
  const CaseRecord record = host_case(9, [](int epoch) { return 12.25 * epoch; });
  CHECK(growth_warnings(record) ==
        std::vector<Warning>{{WarningKind::kHostMemoryGrowth, 12.25 * kMiB,
                              "host memory grew by 12.2 MiB per epoch over the last 8 epochs"}});
}

TEST_CASE("four growing epochs after the warm-up are enough for a warning, three are not") {
  const auto leak = [](int epoch) { return 50.0 * epoch; };
  CHECK(growth_warnings(host_case(5, leak)).size() == 1);
  check_silent(host_case(4, leak));
  check_silent(host_case(5, [](int epoch) { return epoch == 3 ? 10 : 50.0 * epoch; }));
  check_silent(CaseRecord());
}

TEST_CASE("memory that falls back periodically gives no warning") {
  for (const int period : {2, 3, 4, 6}) {
    INFO("period " << period);
    check_silent(host_case(25, [&](int epoch) { return 40.0 * (epoch % period); }));
  }
}

TEST_CASE("memory that rises once gives no warning, with or without noise") {
  for (const int at : {2, 5, 10, 18}) {
    INFO("at epoch " << at);
    check_silent(host_case(21, [&](int epoch) { return epoch < at ? 0.0 : 300.0; }));
    check_silent(host_case(21, [&](int epoch) { return (epoch < at ? 0.0 : 300.0) + 4 * noise(epoch); }));
  }
}

TEST_CASE("growth during the warm-up is ignored") {
  CaseRecord record = host_case(9, [](int epoch) { return 100.0 * std::min(epoch, 6); });
  record.warmup_epochs = 6;
  check_silent(record);
}

}  // namespace gpubench::test::memory_growth_test
