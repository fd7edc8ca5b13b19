#include "gpubench/record/derived.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

constexpr double kSlow = 0.01;  // Of what the nearest bound of a call allows.

Missing why_absent(const CaseRecord& record, const std::string& otherwise) {
  return missing(record.status == RowStatus::kOk ? otherwise
                                                 : "the case ended as " + to_string(record.status));
}

constexpr std::size_t kLeastEpochs = 2;  // In blocks.

/// The blocks of the steady epochs. None where they make up no whole epochs, as in a file that was changed.
std::span<const double> steady_blocks(const CaseRecord& record) {
  const std::span<const double> all(record.block_seconds);
  const std::size_t each = record.block_steps.size();
  if (each == 0 || all.size() % each != 0) return {};
  return all.last(each * std::min(all.size() / each, steady_epochs(record).size()));
}

/// What shows whether times change: values in order, and how many of them make up an epoch.
struct Course {
  std::vector<double> values;
  std::size_t period = 1;
};

Measured<Course> make_course(const CaseRecord& record) {
  const std::size_t each = record.block_steps.size();
  const Measured<std::vector<double>> steps = steady_step_seconds(record);
  if (steps.has_value() && steps.value().size() >= std::max(kLeastEpochs * each, kLeastForTrend))
    return Course{steps.value(), each};
  const std::span<const double> epochs = steady_epochs(record);
  if (epochs.size() >= kLeastForTrend) return Course{{epochs.begin(), epochs.end()}, 1};
  return why_absent(record, fmt::format("fewer than {} epochs after the warm-up",
                                        steps.has_value() ? kLeastEpochs : kLeastForTrend));
}

Measured<std::span<const double>> some_steady_epochs(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  if (steady.empty()) return why_absent(record, "no epoch after the warm-up");
  return steady;
}

Measured<double> median_epoch(const CaseRecord& record) {
  return epoch_summary(record).then(&Summary::median);
}

double total(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// A file can hold any number: what is none cannot be sorted, and squares of huge ones overflow.
bool is_time(double seconds) { return std::isfinite(seconds) && std::abs(seconds) < 1e100; }

Missing no_sequences() { return missing("the samples are no sequences of tokens"); }

/// a / b, or why one of them is missing.
Measured<double> quotient(const Measured<double>& a, const Measured<double>& b) {
  if (!a.has_value()) return a;
  if (!b.has_value()) return b;
  if (b.value() <= 0) return missing("there is nothing above zero to compare with");
  return a.value() / b.value();
}

/// `seconds` as a part of the median epoch.
Measured<double> part_of_epoch(const CaseRecord& record, const Measured<double>& seconds) {
  return quotient(seconds, median_epoch(record));
}

double count_steps(const CaseRecord& record) { return static_cast<double>(record.steps_per_epoch); }

/// What rounding may add to the share of a rate that is its own peak.
constexpr double kRounding = 1e-9;

/// Returns the share of a bound; above the whole another bound holds, and `why_above` is the reason.
Measured<double> at_most_whole(const Measured<double>& share, const char* why_above) {
  return share.then([=](double part) -> Measured<double> {
    if (part <= 1 + kRounding) return std::min(part, 1.0);
    return missing("{:.3g} times {}", part, why_above);
  });
}

constexpr const char* kAbovePeak = "the peak, which was measured too low; run 'gpubench peak'";
constexpr const char* kAboveMemory = "what memory carries: caches hold a part of it";
constexpr const char* kAboveLaunch = "the epoch: the least time of an operation was measured too high";

// As they are, be they above 1 or not.

Measured<double> raw_compute_share(const CaseRecord& record) {
  return quotient(flops_per_second_of_rank(record), record.peak_flops_per_second);
}

Measured<double> raw_memory_share(const CaseRecord& record) {
  const auto of_epoch = record.traffic_per_step.then(
      [&](Bytes traffic) { return count_steps(record) * static_cast<double>(traffic.value); });
  return part_of_epoch(record, quotient(of_epoch, record.peak_bytes_per_second));
}

Measured<double> raw_launch_share(const CaseRecord& record) {
  return record.operations_per_step.then([&](double operations) {
    const auto of_epoch = record.operation_latency.then(
        [&](Seconds latency) { return count_steps(record) * operations * latency.value; });
    return part_of_epoch(record, of_epoch);
  });
}

Measured<double> raw_compute_share(const OpRecord& record) {
  return quotient(flops_per_second(record), record.peak_flops_per_second);
}

Measured<double> raw_memory_share(const OpRecord& record) {
  return quotient(bytes_per_second(record), record.peak_bytes_per_second);
}

/// A part of what a bound allows, and which bound that is.
using Share = std::pair<const char*, Measured<double>>;

/// From this share on a bound explains most of the time.
constexpr double kMost = 0.5;

/// The largest of `shares`, where each is known.
Measured<double> find_largest(std::span<const Share> shares) {
  double largest = 0;
  for (const auto& [name, share] : shares) {
    if (!share.has_value()) return share;
    largest = std::max(largest, share.value());
  }
  return largest;
}

/// What each explains of the time. More traffic than memory carries is not all memory's.
std::vector<Share> explaining(std::span<const Share> shares) {
  return mapped(shares, [](const Share& one) {
    const auto find_part = [&](double share) {
      return std::string_view(one.first) == "memory" && share > 1 + kRounding ? 0 : std::min(share, 1.0);
    };
    return Share{one.first, one.second.then(find_part)};
  });
}

Measured<std::string> bound_among(std::span<const Share> all) {
  const std::vector<Share> shares = explaining(all);
  return find_largest(shares).then([&](double largest) -> std::string {
    if (largest < kMost) return kNoBound;
    return std::ranges::find(shares, Measured<double>(largest), &Share::second)->first;
  });
}

/// What may explain the rest, and its size as a part of the time.
using Cause = std::pair<const char*, double>;

/// The largest cause that is worth its name; else kernels that reach less than the peak by themselves.
std::string likeliest(const std::vector<Cause>& causes) {
  constexpr double kLeast = 0.1;
  const auto largest = std::ranges::max_element(causes, {}, &Cause::second);
  return largest == causes.end() || largest->second < kLeast ? "kernels" : largest->first;
}

double or_zero(const Measured<double>& share) { return share.has_value() ? share.value() : 0; }

/// Causes within the work: many operations, or traffic that caches serve.
std::vector<Cause> causes_among(std::span<const Share> shares) {
  std::vector<Cause> causes;
  for (const auto& [name, share] : shares) {
    const bool is_above = or_zero(share) > 1;
    if (std::string_view(name) == "launch") causes.emplace_back(name, std::min(1.0, or_zero(share)));
    if (std::string_view(name) == "memory" && is_above) causes.emplace_back("caches", kMost);
  }
  return causes;
}

/// The figure of the warning of that kind; 0 where there is none.
double find_figure(const RowRecord& record, std::string_view kind) {
  const auto found = std::ranges::find(record.warnings, kind, &Warning::kind);
  return found == record.warnings.end() ? 0 : found->figure.value_or(0);
}

/// Causes outside the work. Threads that lack a core are the consequence of another one.
std::vector<Cause> causes_around(const CaseRecord& record) {
  const double waited = find_figure(record, "core-wait");
  const double others = find_figure(record, "other-processes");
  const double quota = find_figure(record, "cpu-quota");
  const double epochs = std::max(total(record.epoch_seconds), 1e-9);
  std::vector<Cause> causes{{"hypervisor", find_figure(record, "hypervisor")}};
  if (others > 0) causes.emplace_back("other-processes", std::max(others, waited));
  if (quota > 0) causes.emplace_back("cpu-quota", std::max(quota / epochs, others > 0 ? 0 : waited));
  if (others <= 0 && quota <= 0) causes.emplace_back("too-many-threads", waited);
  // A device computes on while the host is busy with other work.
  if (record.device != "cpu") std::erase_if(causes, [](const Cause& cause) { return cause.second < kMost; });
  return causes;
}

std::array<Share, 3> compute_shares(const CaseRecord& record) {
  return {{{"compute", raw_compute_share(record)},
           {"memory", raw_memory_share(record)},
           {"launch", raw_launch_share(record)}}};
}

/// The waits of a case: parts of its time that share nothing with each other or with the work.
std::array<Share, 2> compute_waits(const CaseRecord& record) {
  return {{{"input", input_share(record)}, {"exchange", communication_share(record)}}};
}

/// By itself: its interval takes a thousand times as long.
Measured<double> median_call(const OpRecord& record) {
  if (record.call_seconds.empty()) return missing("the row is " + to_string(record.status));
  const auto is_finite = [](double seconds) { return std::isfinite(seconds); };
  if (!std::ranges::all_of(record.call_seconds, is_finite)) return missing("a time is no number");
  return compute_median(record.call_seconds);
}

/// To divide by.
Measured<double> median_above_zero(const OpRecord& record) {
  Measured<double> median = median_call(record);
  if (median.has_value() && median.value() <= 0) return missing("the time is zero");
  return median;
}

/// `amount` of a call, a second; `why_none` for an amount of zero.
Measured<double> rate(double amount, const OpRecord& record, const char* why_none) {
  return median_above_zero(record).then(
      [&](double seconds) { return amount > 0 ? Measured<double>(amount / seconds) : missing(why_none); });
}

/// The least time of a launch, as a part of the call's.
Measured<double> raw_launch_share(const OpRecord& record) {
  return median_above_zero(record).then([&](double seconds) {
    return record.operation_latency.then([=](Seconds latency) { return latency.value / seconds; });
  });
}

std::array<Share, 3> compute_shares(const OpRecord& record) {
  const Measured<double> compute = record.flop > 0 ? raw_compute_share(record) : Measured<double>(0.0);
  return {{{"compute", compute}, {"memory", raw_memory_share(record)}, {"launch", raw_launch_share(record)}}};
}

}  // namespace

std::span<const double> steady_epochs(const CaseRecord& record) {
  const std::span<const double> all(record.epoch_seconds);
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (all.size() <= dropped) return {};
  const std::span<const double> steady = all.subspan(dropped);
  return std::ranges::all_of(steady, is_time) ? steady : std::span<const double>();
}

Measured<Summary> epoch_summary(const CaseRecord& record) {
  return some_steady_epochs(record).then(summarize);
}

Measured<Interval> epoch_interval(const CaseRecord& record) {
  return some_steady_epochs(record).then([&](std::span<const double> epochs) {
    const Measured<std::vector<double>> steps = steady_step_seconds(record);
    const bool has_all =
        steps.has_value() && steps.value().size() == epochs.size() * record.block_steps.size();
    return median_interval_by_parts(epochs, has_all ? steps.value() : std::vector<double>());
  });
}

Measured<double> halfwidth(const Measured<Interval>& interval, double median) {
  if (interval.has_value() && median <= 0) return missing("the median is zero");
  return interval.then([=](const Interval& known) { return (known.high - known.low) / 2 / median; });
}

Measured<double> halfwidth_between_runs(std::span<const double> process_medians) {
  if (process_medians.empty()) return missing("no process ended well");
  const Measured<Interval> interval = median_interval_of_independent(process_medians);
  if (interval.has_value()) return halfwidth(interval, compute_median(process_medians));
  return missing("{}; use --repeat 5", process_medians.size() == 1 ? "only one run" : "only two runs");
}

Measured<double> epoch_cv(const CaseRecord& record) {
  return epoch_summary(record).then(
      [](const Summary& summary) { return quotient(summary.stddev, summary.mean); });
}

std::vector<std::int64_t> outlier_epochs(const CaseRecord& record) {
  return mapped(outliers(steady_epochs(record)), [&](std::size_t position) {
    return record.warmup_epochs + static_cast<std::int64_t>(position) + 1;
  });
}

Measured<std::vector<double>> steady_step_seconds(const CaseRecord& record) {
  if (!record.blocks_per_epoch.has_value()) return missing(record.blocks_per_epoch.reason());
  std::vector<double> seconds;
  for (const double block : steady_blocks(record)) {
    const std::int64_t steps = record.block_steps[seconds.size() % record.block_steps.size()];
    seconds.push_back(block / static_cast<double>(steps));
  }
  if (!std::ranges::all_of(seconds, is_time)) return missing("a time of a block is no time");
  if (seconds.empty()) return missing("no epoch after the warm-up has times of its blocks");
  return seconds;
}

Measured<double> step_quantile(const CaseRecord& record, double part) {
  return steady_step_seconds(record).then(
      [=](const std::vector<double>& seconds) { return compute_quantile(seconds, part); });
}

Measured<bool> is_steady(const CaseRecord& record) {
  return make_course(record).then(
      [](const Course& course) { return is_level(course.values, course.period); });
}

Measured<double> epoch_slope(const CaseRecord& record) {
  return make_course(record).then([](const Course& course) {
    return compute_trend(course.values, course.period).slope * static_cast<double>(course.period);
  });
}

Measured<double> samples_per_second(const CaseRecord& record) {
  return median_epoch(record).then([&](double median) -> Measured<double> {
    if (median <= 0) return missing("an epoch took no measurable time");
    if (record.train_samples <= 0) return missing("how many samples an epoch has is not told");
    return static_cast<double>(record.train_samples) / median;
  });
}

Measured<double> tokens_per_second(const CaseRecord& record) {
  if (record.tokens_per_sample == 0) return no_sequences();
  return samples_per_second(record).then(
      [&](double samples) { return samples * static_cast<double>(record.tokens_per_sample); });
}

Measured<double> perplexity(const CaseRecord& record) {
  if (record.tokens_per_sample == 0) return no_sequences();
  return find_value(record.test, "loss").then([](double loss) {
    const double value = std::exp(loss);
    return std::isfinite(value) ? Measured<double>(value) : missing("the loss is too large for it");
  });
}

Measured<double> elbo(const CaseRecord& record) {
  return find_value(record.test, "divergence").then([&](double divergence) {
    return find_value(record.test, "reconstruction").then([=](double loss) { return -(loss + divergence); });
  });
}

Measured<Seconds> first_epoch(const CaseRecord& record) {
  if (record.epoch_seconds.empty()) return why_absent(record, "no epoch finished");
  return Seconds{record.epoch_seconds.front()};
}

Measured<Seconds> startup(const CaseRecord& record) {
  if (record.warmup_epochs == 0) return missing("no warm-up epoch to compare the steady ones with");
  return median_epoch(record).then([&](double median) {
    const double beyond = std::max(0.0, first_epoch(record).value().value - median);
    return record.setup.then([=](Seconds setup) { return setup + Seconds{beyond}; });
  });
}

Measured<Seconds> fit_time(const CaseRecord& record) {
  if (record.protocol != Protocol::kFit) return missing("the protocol epoch times no whole fit");
  if (record.status != RowStatus::kOk || record.epoch_seconds.empty()) {
    return why_absent(record, "no epoch finished");
  }
  return record.setup.then([&](Seconds setup) {
    return setup + Seconds{total(record.epoch_seconds) + total(record.validation_seconds)};
  });
}

Measured<double> final_loss(const CaseRecord& record) {
  // A model with several losses has none of this name, and its first one counts.
  auto series = std::ranges::find(record.training, "loss", &NamedSeries::value_type::first);
  if (series == record.training.end()) series = record.training.begin();
  if (series == record.training.end() || series->second.empty()) {
    return why_absent(record, "no epoch finished");
  }
  const double loss = series->second.back();
  if (!std::isfinite(loss)) return missing("the loss of the last epoch is not finite");
  return loss;
}

Measured<double> find_value(const Measured<NamedValues>& values, const std::string& name) {
  return values.then([&](const NamedValues& all) -> Measured<double> {
    for (const auto& [key, value] : all) {
      if (key == name) return value;
    }
    return missing("the model has no figure called " + name);
  });
}

Measured<double> flops_per_second(const CaseRecord& record) {
  return record.train_flop_per_sample.then([&](double flop) {
    return samples_per_second(record).then([=](double samples) { return flop * samples; });
  });
}

Measured<double> flops_per_second_of_rank(const CaseRecord& record) {
  return flops_per_second(record).then([&](double rate) { return rate / static_cast<double>(record.ranks); });
}

Measured<double> mfu(const CaseRecord& record) {
  return at_most_whole(raw_compute_share(record), kAbovePeak);
}

Measured<double> memory_share(const CaseRecord& record) {
  return at_most_whole(raw_memory_share(record), kAboveMemory);
}

Measured<double> launch_share(const CaseRecord& record) {
  return at_most_whole(raw_launch_share(record), kAboveLaunch);
}

Measured<double> input_share(const CaseRecord& record) {
  if (record.mode.loader != Loader::kHost) return missing("samples were on the device before the epochs");
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (record.input_wait_seconds.size() <= dropped) return missing("no wait was measured after the warm-up");
  const std::span<const double> waits(record.input_wait_seconds);
  return part_of_epoch(record, compute_median(waits.subspan(dropped)));
}

Measured<std::string> bottleneck(const CaseRecord& record) {
  for (const auto& [name, wait] : compute_waits(record)) {
    if (or_zero(wait) > kMost) return std::string(name);
  }
  return bound_among(compute_shares(record));
}

Measured<double> unexplained_share(const CaseRecord& record) {
  double waited = 0;
  for (const auto& [name, wait] : compute_waits(record)) waited += or_zero(wait);
  const Measured<double> largest = find_largest(explaining(compute_shares(record)));
  return largest.then([=](double part) { return std::max(0.0, 1 - waited - part); });
}

Measured<std::string> likely_cause(const CaseRecord& record) {
  return bottleneck(record).then([&](const std::string& name) -> Measured<std::string> {
    if (name != kNoBound) return missing("`bound` explains most of the time");
    std::vector<Cause> causes = causes_around(record);
    append(causes, causes_among(compute_shares(record)));
    for (const auto& [wait, share] : compute_waits(record)) causes.emplace_back(wait, or_zero(share));
    return likeliest(causes);
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
  return at_most_whole(raw_compute_share(record), kAbovePeak);
}

Measured<double> bandwidth_share(const OpRecord& record) {
  return at_most_whole(raw_memory_share(record), kAboveMemory);
}

Measured<Seconds> launch_cost(const OpRecord& record) {
  return median_call(record).then([&](double alone) -> Measured<Seconds> {
    if (record.graph_call_seconds.empty()) return missing("no graph was recorded");
    return Seconds{alone - compute_median(record.graph_call_seconds)};
  });
}

Measured<std::string> bottleneck(const OpRecord& record) { return bound_among(compute_shares(record)); }

Measured<double> unexplained_share(const OpRecord& record) {
  return find_largest(explaining(compute_shares(record))).then([](double largest) { return 1 - largest; });
}

Measured<std::string> likely_cause(const OpRecord& record) {
  return bottleneck(record).then([&](const std::string& name) -> Measured<std::string> {
    if (name != kNoBound) return missing("`bound` explains most of the time");
    return likeliest(causes_among(compute_shares(record)));
  });
}

bool is_slow(const OpRecord& record) {
  if (record.status != RowStatus::kOk) return false;
  const Measured<double> share = find_largest(compute_shares(record));
  return share.has_value() && share.value() < kSlow;
}

}  // namespace gpubench
