#include "gpubench/record/op_record.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr double kSlow = 0.01;

/// By itself: its interval takes a thousand times as long.
Reading<double> median_call(const OpRecord& record) {
  if (record.call_seconds.empty()) return absent("the row is " + to_string(record.status));
  const auto is_time = [](double seconds) { return std::isfinite(seconds); };
  const bool are_times = std::all_of(record.call_seconds.begin(), record.call_seconds.end(), is_time);
  if (!are_times) return absent("a time is no number");
  return median_of(record.call_seconds);
}

/// To divide by.
Reading<double> median_above_zero(const OpRecord& record) {
  Reading<double> median = median_call(record);
  if (median.has_value() && median.value() <= 0) return absent("the time is zero");
  return median;
}

/// `amount` of a call, a second; `why_none` for an amount of zero.
Reading<double> rate(double amount, const OpRecord& record, const char* why_none) {
  const Reading<double> time = median_above_zero(record);
  if (!time.has_value()) return absent(time.reason());
  if (!(amount > 0)) return absent(why_none);
  return amount / time.value();
}

Reading<double> part_of(const Reading<double>& rate, const Reading<double>& peak) {
  if (!rate.has_value()) return absent(rate.reason());
  if (!peak.has_value()) return absent(peak.reason());
  if (peak.value() <= 0) return absent("there is nothing above zero to compare with");
  return rate.value() / peak.value();
}

/// The least time of a launch, as a part of the call's.
Reading<double> launch_share(const OpRecord& record) {
  const Reading<double> time = median_above_zero(record);
  if (!time.has_value()) return absent(time.reason());
  if (!record.operation_latency.has_value()) return absent(record.operation_latency.reason());
  return record.operation_latency.value().value / time.value();
}

/// A part of what the call's bound allows, and which bound that is.
using Share = std::pair<const char*, Reading<double>>;

Share largest_share(const OpRecord& record) {
  const Reading<double> compute = record.flop > 0 ? flops_share(record) : Reading<double>(0.0);
  const Share shares[] = {
      {"compute", compute}, {"memory", bandwidth_share(record)}, {"launch", launch_share(record)}};
  // The largest of some could be the smallest of all.
  for (const Share& share : shares) {
    if (!share.second.has_value()) return share;
  }
  return *std::max_element(std::begin(shares), std::end(shares), [](const Share& a, const Share& b) {
    return a.second.value() < b.second.value();
  });
}

}  // namespace

Reading<Estimate> call_time(const OpRecord& record) {
  const Reading<double> median = median_call(record);
  if (!median.has_value()) return absent(median.reason());
  return Estimate{median.value(), median_interval(record.call_seconds)};
}

Reading<double> flops_per_second(const OpRecord& record) {
  return rate(record.flop, record, "a call only moves data");
}

Reading<double> bytes_per_second(const OpRecord& record) {
  if (!record.traffic.has_value()) return absent(record.traffic.reason());
  return rate(static_cast<double>(record.traffic.value().value), record, "a call moves no data");
}

Reading<double> flops_share(const OpRecord& record) {
  return part_of(flops_per_second(record), record.peak_flops_per_second);
}

Reading<double> bandwidth_share(const OpRecord& record) {
  return part_of(bytes_per_second(record), record.peak_bytes_per_second);
}

Reading<Seconds> launch_cost(const OpRecord& record) {
  const Reading<double> alone = median_call(record);
  if (!alone.has_value()) return absent(alone.reason());
  if (record.graph_call_seconds.empty()) return absent("no graph was recorded");
  return Seconds{alone.value() - median_of(record.graph_call_seconds)};
}

Reading<std::string> bound(const OpRecord& record) {
  const auto [name, share] = largest_share(record);
  if (!share.has_value()) return absent(share.reason());
  return std::string(name);
}

bool is_slow(const OpRecord& record) {
  if (record.status != RowStatus::kOk) return false;
  const Reading<double> share = largest_share(record).second;
  return share.has_value() && share.value() < kSlow;
}

}  // namespace gpubench
