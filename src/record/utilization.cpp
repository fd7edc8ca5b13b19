#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using C = CaseRecord;
using R = OpRecord;

constexpr double kSlow = 0.01;      // Maximum share of a slow operation.
constexpr double kMost = 0.5;       // Minimum share of a limiter.
constexpr double kRounding = 1e-9;  // Rounding error of a rate divided by itself.

/// Minimum time by each bound as a fraction of the measured time. May exceed 1.
struct Shares {
  Measured<double> compute;
  Measured<double> memory;
  Measured<double> launch;
};

/// Bound with the largest share of the time.
struct Bound {
  const char* name = kNoBound;
  double part = 0;
};

/// Returns a / b, or the reason why one of them is missing.
Measured<double> quotient(const Measured<double>& a, const Measured<double>& b) {
  if (!a.has_value()) return a;
  if (!b.has_value()) return b;
  if (b.value() <= 0) return missing("the reference is not above zero");
  return a.value() / b.value();
}

Shares compute_shares(const C& record) {
  const auto steps = static_cast<double>(record.steps_per_epoch);
  const Measured<double> epoch = epoch_summary(record).then(&Summary::median);
  const Measured<double> traffic =
      record.traffic_per_step.then([=](Bytes bytes) { return steps * static_cast<double>(bytes.value); });
  const Measured<double> launches = record.operations_per_step.then([&](double operations) {
    return record.operation_latency.then([=](Seconds latency) { return steps * operations * latency.value; });
  });
  return {quotient(flops_per_second_per_rank(record), record.peak_flops_per_second),
          quotient(quotient(traffic, record.peak_bytes_per_second), epoch), quotient(launches, epoch)};
}

/// Returns the median without the interval of call_time(), which takes a thousand times as long.
Measured<double> median_call(const R& record) {
  if (record.call_seconds.empty()) return missing("the row is " + to_string(record.status));
  const auto is_finite = [](double seconds) { return std::isfinite(seconds); };
  if (!std::ranges::all_of(record.call_seconds, is_finite)) return missing("a time is not a number");
  return compute_median(record.call_seconds);
}

/// Returns `amount` per second at the median call; missing with `why_none` if it is zero.
Measured<double> rate(double amount, const R& record, const char* why_none) {
  return median_call(record).then([&](double seconds) -> Measured<double> {
    if (seconds <= 0) return missing("the time is zero");
    return amount > 0 ? Measured<double>(amount / seconds) : missing(why_none);
  });
}

Shares compute_shares(const R& record) {
  const Measured<double> latency = record.operation_latency.then(&Seconds::value);
  return {record.flop > 0 ? quotient(flops_per_second(record), record.peak_flops_per_second) : 0.0,
          quotient(bytes_per_second(record), record.peak_bytes_per_second),
          quotient(latency, median_call(record))};
}

/// Returns a share of at most 1; missing with `why_above` if it is larger.
Measured<double> at_most_whole(const Measured<double>& share, const char* why_above) {
  return share.then([=](double part) -> Measured<double> {
    if (part <= 1 + kRounding) return std::min(part, 1.0);
    return missing("{:.3g} times {}", part, why_above);
  });
}

constexpr const char* kAbovePeak = "the peak, which was measured too low; run 'gpubench peak'";
constexpr const char* kAboveMemory = "the memory bandwidth: caches hold a part of the data";
constexpr const char* kAboveLaunch = "the epoch: the minimum time of an operation was measured too high";

Access<C> share(Measured<double> Shares::*which, const char* why_above) {
  return derived<C>([=](const C& record) { return at_most_whole(compute_shares(record).*which, why_above); })
      .in("utilization");
}

/// Returns the bound with the largest share. Missing if a share is.
Measured<Bound> find_bound(const Shares& shares) {
  Bound bound;
  for (const auto& [name, share] :
       {std::pair("compute", &shares.compute), std::pair("memory", &shares.memory),
        std::pair("launch", &shares.launch)}) {
    if (!share->has_value()) return share->why();
    // Caches serve a part of the traffic, so memory is not the limiter.
    const bool is_cached = share == &shares.memory && share->value() > 1 + kRounding;
    const double part = is_cached ? 0 : std::min(share->value(), 1.0);
    if (part > bound.part) bound = {name, part};
  }
  return bound;
}

std::string name_bound(const Bound& bound) { return bound.part < kMost ? kNoBound : bound.name; }

/// Possible cause of the unexplained time, and its fraction of the time.
using Cause = std::pair<std::string_view, double>;

double find_figure(const RowRecord& record, const KindName& kind) {
  const auto found = std::ranges::find(record.warnings, kind, &Warning::kind);
  return found == record.warnings.end() ? 0 : found->figure.value_or(0);
}

/// Returns causes outside the work. Threads waiting for a core count for the first known cause of it.
std::vector<Cause> causes_around(const C& record) {
  const std::vector<double>& epochs = record.epoch_seconds;
  const double time = std::max(std::accumulate(epochs.begin(), epochs.end(), 0.0), 1e-9);
  double waited = find_figure(record, WarningKind::kCoreWait);
  std::vector<Cause> causes;
  for (const WarningEntry& entry : warning_entries()) {
    if (entry.cause.name.empty()) continue;
    double part = find_figure(record, entry.kind) / (entry.unit == "s" ? time : 1);
    if (entry.kind == WarningKind::kCoreWait) part = waited;
    if (entry.takes_cores && part > 0) part = std::max(part, std::exchange(waited, 0));
    causes.emplace_back(entry.cause.name, part);
  }
  // A GPU keeps computing while the host does other work.
  if (record.device != "cpu") std::erase_if(causes, [](const Cause& cause) { return cause.second < kMost; });
  return causes;
}

/// Returns the median wait for batches as a fraction of the median epoch.
Measured<double> input_share(const C& record) {
  if (record.mode.loader != Loader::kHost) return missing("the samples are resident on the device");
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (record.input_wait_seconds.size() <= dropped) return missing("no wait was measured after the warm-up");
  const std::span<const double> waits(record.input_wait_seconds);
  return quotient(compute_median(waits.subspan(dropped)), epoch_summary(record).then(&Summary::median));
}

Measured<Seconds> launch_cost(const R& record) {
  return median_call(record).then([&](double alone) -> Measured<Seconds> {
    if (record.graph_call_seconds.empty()) return missing("no graph was recorded");
    return Seconds{alone - compute_median(record.graph_call_seconds)};
  });
}

template <class Figure>
Access<R> time_figure(Figure figure) {
  return derived<R>([figure](const R& record) { return call_time(record).then(figure); });
}

}  // namespace

Measured<double> flops_per_second(const CaseRecord& record) {
  return record.train_flop_per_sample.then([&](double flop) {
    return samples_per_second(record).then([=](double samples) { return flop * samples; });
  });
}

Measured<double> flops_per_second_per_rank(const CaseRecord& record) {
  return flops_per_second(record).then([&](double rate) { return rate / static_cast<double>(record.ranks); });
}

Measured<std::string> bottleneck(const CaseRecord& record) {
  if (input_share(record).value_or(0) > kMost) return std::string("input");
  if (communication_share(record).value_or(0) > kMost) return std::string("exchange");
  return find_bound(compute_shares(record)).then(name_bound);
}

std::vector<LikelyCause> likely_causes() {
  std::vector<LikelyCause> causes = mapped(warning_entries(), &WarningEntry::cause);
  std::erase_if(causes, [](const LikelyCause& cause) { return cause.name.empty(); });
  causes.insert(causes.end(), {{"input", "waiting for input"},
                               {"exchange", "communication between ranks"},
                               {"launch", "launch overhead; try a larger --batch"},
                               {"caches", "memory traffic served by caches"},
                               {"kernels", "slow kernels; --profile shows which"}});
  return causes;
}

Measured<std::string> likely_cause(const CaseRecord& record) {
  constexpr double kLeast = 0.1;
  std::vector<Cause> causes = causes_around(record);
  const Shares shares = compute_shares(record);
  causes.emplace_back("launch", std::min(1.0, shares.launch.value_or(0)));
  if (shares.memory.value_or(0) > 1) causes.emplace_back("caches", kMost);
  causes.emplace_back("input", input_share(record).value_or(0));
  causes.emplace_back("exchange", communication_share(record).value_or(0));
  const Cause largest = std::ranges::max(causes, {}, &Cause::second);
  return bottleneck(record).then([&](const std::string& name) -> Measured<std::string> {
    if (name != kNoBound) return missing("`bottleneck` explains most of the time");
    // Without a significant cause, the kernels themselves are slower than the peak.
    return std::string(largest.second < kLeast ? "kernels" : largest.first);
  });
}

Measured<Estimate> call_time(const OpRecord& record) {
  return median_call(record).then([&](double median) {
    return Estimate{median, median_interval(record.call_seconds)};
  });
}

Measured<double> flops_per_second(const OpRecord& record) {
  return rate(record.flop, record, "a call only moves data");
}

Measured<double> bytes_per_second(const OpRecord& record) {
  return record.traffic.then([&](Bytes traffic) {
    return rate(static_cast<double>(traffic.value), record, "a call moves no data");
  });
}

Measured<double> flops_share(const OpRecord& record) {
  return at_most_whole(quotient(flops_per_second(record), record.peak_flops_per_second), kAbovePeak);
}

Measured<double> bandwidth_share(const OpRecord& record) {
  return at_most_whole(compute_shares(record).memory, kAboveMemory);
}

Measured<std::string> bottleneck(const OpRecord& record) {
  return find_bound(compute_shares(record)).then(name_bound);
}

Measured<double> unexplained_share(const OpRecord& record) {
  return find_bound(compute_shares(record)).then([](const Bound& bound) { return 1 - bound.part; });
}

bool is_slow(const OpRecord& record) {
  const Shares shares = compute_shares(record);
  const auto is_small = [](const Measured<double>& share) { return share.value_or(1) < kSlow; };
  return record.status == RowStatus::kOk && is_small(shares.compute) && is_small(shares.memory) &&
         is_small(shares.launch);
}

std::vector<Field<C>> utilization_figures() {
  return std::vector<Field<C>>({
      {"flops_per_second", "FLOP/s", "FLOP/s", "Training FLOP/s over all ranks.",
       derived<C>(flops_per_second).in("utilization")},
      {"mfu", "fraction", "MFU", kInTable, "Model FLOP utilization: FLOP/s as a fraction of the peak.",
       share(&Shares::compute, kAbovePeak).rank(12)},
      {"memory_share", "fraction", "memory share",
       "Fraction of the epoch for memory traffic; null with caches.", share(&Shares::memory, kAboveMemory)},
      {"launch_share", "fraction", "launch share", "Fraction of the epoch for launching operations.",
       share(&Shares::launch, kAboveLaunch)},
      {"input_share", "fraction", "input wait", "Median fraction of the epoch waiting for input.",
       derived<C>(input_share).optional()},
      {"bottleneck", "", "limited by", kInTable, "Limiter: resource that takes at least half of the time.",
       derived<C>(bottleneck)
           .one_of({"compute", "memory", "launch", "input", "exchange", "none"})
           .in("utilization")
           .rank(11)},
      {"unexplained_share", "fraction", "unexplained", "Fraction of the time that no share explains.",
       derived<C>([](const C& record) {
         const double waited = input_share(record).value_or(0) + communication_share(record).value_or(0);
         return find_bound(compute_shares(record)).then([=](const Bound& bound) {
           return std::max(0.0, 1 - waited - bound.part);
         });
       }).in("utilization")},
      {"likely_cause", "", "likely cause", "Most likely cause if `bottleneck` is `none`.",
       derived<C>(likely_cause).one_of(names_in(likely_causes())).optional()},
  });
}

std::vector<Field<R>> op_figures() {
  return std::vector<Field<R>>({
      {"median_call_seconds", "s", "median", kInTable, "Median time per call.",
       time_figure(&Estimate::value)
           .in("time")
           .rank(1)
           .metric({.is_series = true, .main_rank = 4, .noun = "time per call"})},
      {"median_call_halfwidth", "fraction", "±", kInTable,
       "Relative half-width of the median's 95 % interval, this process.",
       time_figure([](const Estimate& time) { return halfwidth(time.interval, time.value); })
           .in("time")
           .rank(2)},
      {"flops_per_second", "FLOP/s", "FLOP/s", kInTable, "FLOP/s at the median time.",
       derived<R>(flops_per_second).in("rates").rank(6)},
      {"flops_share", "fraction", "of peak", kInTable, "Fraction of the peak FLOP/s.",
       derived<R>(flops_share).in("rates").rank(3)},
      {"bytes_per_second", "B/s", "bandwidth", kInTable,
       "Bytes read and written per second at the median time.", derived<R>(bytes_per_second).in("rates")},
      {"bus_bytes_per_second", "B/s", "bus bandwidth", kIfUnusual,
       "Bus bandwidth of a collective, as in nccl-tests.",
       derived<R>(bus_bytes_per_second).in("ranks").optional()},
      {"bandwidth_share", "fraction", "of bandwidth", kInTable,
       "Fraction of the peak bandwidth; null for cached data.",
       derived<R>(bandwidth_share).in("rates").rank(5)},
      {"bottleneck", "", "limited by", kInTable, "Limiter: resource that takes at least half of the time.",
       derived<R>(bottleneck).one_of({"compute", "memory", "launch", "none"}).in("rates").rank(4)},
      {"unexplained_share", "fraction", "unexplained", "Fraction of the time that no share explains.",
       derived<R>(unexplained_share).in("rates")},
      {"launch_cost_seconds", "s", "launch cost", kIfUnusual, "Median time per call minus that in a graph.",
       derived<R>(launch_cost).of_any_sign().optional()},
      {"slow", "", "slow", "True if `ok` below 1 % of every peak.", derived<R>(is_slow).optional()},
      {"error", "", "error", kIfUnusual, "Largest difference from fp64, relative to the largest value.",
       member(&R::error).at_least(0)},
      {"tolerance", "", "tolerance", "Maximum `error`.", member(&R::tolerance).at_least(0)},
  });
}

}  // namespace gpubench
