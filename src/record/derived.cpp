#include "gpubench/record/derived.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

constexpr double kSlow = 0.01;  // Of what the nearest bound of a call allows.

Absent why_absent(const CaseRecord& record, const std::string& otherwise) {
  return absent(record.status == RowStatus::kOk ? otherwise
                                                : "the case ended as " + to_string(record.status));
}

/// The steady epochs, where there are any.
Reading<std::span<const double>> some_steady_epochs(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  if (steady.empty()) return why_absent(record, "no epoch after the warm-up");
  return steady;
}

/// The blocks of the last `epochs` epochs; none where not all of these have theirs.
std::vector<double> parts_of(const CaseRecord& record, std::size_t epochs) {
  const Reading<std::vector<double>> steps = steady_step_seconds(record);
  const bool has_all = steps.has_value() && steps.value().size() == epochs * record.block_steps.size();
  return has_all ? steps.value() : std::vector<double>();
}

Reading<double> median_epoch(const CaseRecord& record) {
  return epoch_summary(record).then(&Summary::median);
}

double total(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// A file can hold any number: what is none cannot be sorted, and squares of huge ones overflow.
bool is_time(double seconds) { return std::isfinite(seconds) && std::abs(seconds) < 1e100; }

Absent no_sequences() { return absent("the samples are no sequences of tokens"); }

/// a / b, or why one of them is missing.
Reading<double> quotient(const Reading<double>& a, const Reading<double>& b) {
  if (!a.has_value()) return a;
  if (!b.has_value()) return b;
  if (b.value() <= 0) return absent("there is nothing above zero to compare with");
  return a.value() / b.value();
}

/// `seconds` as a part of the median epoch.
Reading<double> part_of_epoch(const CaseRecord& record, const Reading<double>& seconds) {
  return quotient(seconds, median_epoch(record));
}

double steps_of(const CaseRecord& record) { return static_cast<double>(record.steps_per_epoch); }

/// What rounding may add to the share of a rate that is its own peak.
constexpr double kRounding = 1e-9;

/// A part of what a bound allows; one above the whole says that the bound is another one, for which
/// `why_above` is the reason.
Reading<double> at_most_whole(const Reading<double>& share, const char* why_above) {
  return share.then([=](double part) -> Reading<double> {
    if (part <= 1 + kRounding) return std::min(part, 1.0);
    return absent("{:.3g} times {}", part, why_above);
  });
}

constexpr const char* kAbovePeak = "the peak, which was measured too low; run 'gpubench peak'";
constexpr const char* kAboveMemory = "what memory carries: caches hold a part of it";
constexpr const char* kAboveLaunch = "the epoch: the least time of an operation was measured too high";

// As they are, be they above 1 or not.

Reading<double> raw_compute_share(const CaseRecord& record) {
  return quotient(flops_per_second_of_rank(record), record.peak_flops_per_second);
}

Reading<double> raw_memory_share(const CaseRecord& record) {
  const auto of_epoch = record.traffic_per_step.then(
      [&](Bytes traffic) { return steps_of(record) * static_cast<double>(traffic.value); });
  return part_of_epoch(record, quotient(of_epoch, record.peak_bytes_per_second));
}

Reading<double> raw_launch_share(const CaseRecord& record) {
  return record.operations_per_step.then([&](double operations) {
    const auto of_epoch = record.operation_latency.then(
        [&](Seconds latency) { return steps_of(record) * operations * latency.value; });
    return part_of_epoch(record, of_epoch);
  });
}

Reading<double> raw_compute_share(const OpRecord& record) {
  return quotient(flops_per_second(record), record.peak_flops_per_second);
}

Reading<double> raw_memory_share(const OpRecord& record) {
  return quotient(bytes_per_second(record), record.peak_bytes_per_second);
}

/// A part of what a bound allows, and which bound that is.
using Share = std::pair<const char*, Reading<double>>;

/// From this share on a bound explains most of the time.
constexpr double kMost = 0.5;

/// The largest of `shares`, where each is known.
Reading<double> largest_of(std::span<const Share> shares) {
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
    const auto part_of = [&](double share) {
      return std::string_view(one.first) == "memory" && share > 1 + kRounding ? 0 : std::min(share, 1.0);
    };
    return Share{one.first, one.second.then(part_of)};
  });
}

/// The bound that explains most of the time.
Reading<std::string> bound_among(std::span<const Share> all) {
  const std::vector<Share> shares = explaining(all);
  return largest_of(shares).then([&](double largest) -> std::string {
    if (largest < kMost) return kNoBound;
    return std::ranges::find(shares, Reading<double>(largest), &Share::second)->first;
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

double or_zero(const Reading<double>& share) { return share.has_value() ? share.value() : 0; }

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
double figure_of(const RowRecord& record, std::string_view kind) {
  const auto found = std::ranges::find(record.warnings, kind, &Warning::kind);
  return found == record.warnings.end() ? 0 : found->figure.value_or(0);
}

/// Causes outside the work. Threads that lack a core are the consequence of another one.
std::vector<Cause> causes_around(const CaseRecord& record) {
  const double waited = figure_of(record, "core-wait");
  const double others = figure_of(record, "other-processes");
  const double quota = figure_of(record, "cpu-quota");
  const double epochs = std::max(total(record.epoch_seconds), 1e-9);
  std::vector<Cause> causes{{"hypervisor", figure_of(record, "hypervisor")}};
  if (others > 0) causes.emplace_back("other-processes", std::max(others, waited));
  if (quota > 0) causes.emplace_back("cpu-quota", std::max(quota / epochs, others > 0 ? 0 : waited));
  if (others <= 0 && quota <= 0) causes.emplace_back("too-many-threads", waited);
  // A device computes on while the host is busy with other work.
  if (record.device != "cpu") std::erase_if(causes, [](const Cause& cause) { return cause.second < kMost; });
  return causes;
}

std::array<Share, 3> shares_of(const CaseRecord& record) {
  return {{{"compute", raw_compute_share(record)},
           {"memory", raw_memory_share(record)},
           {"launch", raw_launch_share(record)}}};
}

/// The waits of a case: parts of its time that share nothing with each other or with the work.
std::array<Share, 2> waits_of(const CaseRecord& record) {
  return {{{"input", input_share(record)}, {"exchange", communication_share(record)}}};
}

/// By itself: its interval takes a thousand times as long.
Reading<double> median_call(const OpRecord& record) {
  if (record.call_seconds.empty()) return absent("the row is " + to_string(record.status));
  const auto is_finite = [](double seconds) { return std::isfinite(seconds); };
  if (!std::ranges::all_of(record.call_seconds, is_finite)) return absent("a time is no number");
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
  return median_above_zero(record).then(
      [&](double seconds) { return amount > 0 ? Reading<double>(amount / seconds) : absent(why_none); });
}

/// The least time of a launch, as a part of the call's.
Reading<double> raw_launch_share(const OpRecord& record) {
  return median_above_zero(record).then([&](double seconds) {
    return record.operation_latency.then([=](Seconds latency) { return latency.value / seconds; });
  });
}

std::array<Share, 3> shares_of(const OpRecord& record) {
  const Reading<double> compute = record.flop > 0 ? raw_compute_share(record) : Reading<double>(0.0);
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

Reading<Summary> epoch_summary(const CaseRecord& record) {
  return some_steady_epochs(record).then(summarize);
}

Reading<Interval> epoch_interval(const CaseRecord& record) {
  return some_steady_epochs(record).then([&](std::span<const double> epochs) {
    return median_interval_by_parts(epochs, parts_of(record, epochs.size()));
  });
}

Reading<double> halfwidth(const Reading<Interval>& interval, double median) {
  if (interval.has_value() && median <= 0) return absent("the median is zero");
  return interval.then([=](const Interval& known) { return (known.high - known.low) / 2 / median; });
}

Reading<double> halfwidth_between_runs(std::span<const double> process_medians) {
  if (process_medians.empty()) return absent("no process ended well");
  const Reading<Interval> interval = median_interval_of_independent(process_medians);
  if (interval.has_value()) return halfwidth(interval, median_of(process_medians));
  return absent("{}; use --repeat 5", process_medians.size() == 1 ? "only one run" : "only two runs");
}

Reading<double> epoch_variation(const CaseRecord& record) {
  return epoch_summary(record).then(
      [](const Summary& summary) { return quotient(summary.stddev, summary.mean); });
}

std::vector<std::int64_t> outlier_epochs(const CaseRecord& record) {
  return mapped(outliers(steady_epochs(record)), [&](std::size_t position) {
    return record.warmup_epochs + static_cast<std::int64_t>(position) + 1;
  });
}

Reading<double> samples_per_second(const CaseRecord& record) {
  return median_epoch(record).then([&](double median) -> Reading<double> {
    if (median <= 0) return absent("an epoch took no measurable time");
    if (record.train_samples <= 0) return absent("how many samples an epoch has is not told");
    return static_cast<double>(record.train_samples) / median;
  });
}

Reading<double> tokens_per_second(const CaseRecord& record) {
  if (record.tokens_per_sample == 0) return no_sequences();
  return samples_per_second(record).then(
      [&](double samples) { return samples * static_cast<double>(record.tokens_per_sample); });
}

Reading<double> perplexity(const CaseRecord& record) {
  if (record.tokens_per_sample == 0) return no_sequences();
  return value_of(record.test, "loss").then([](double loss) {
    const double value = std::exp(loss);
    return std::isfinite(value) ? Reading<double>(value) : absent("the loss is too large for it");
  });
}

Reading<double> elbo(const CaseRecord& record) {
  return value_of(record.test, "divergence").then([&](double divergence) {
    return value_of(record.test, "reconstruction").then([=](double loss) { return -(loss + divergence); });
  });
}

Reading<Seconds> first_epoch(const CaseRecord& record) {
  if (record.epoch_seconds.empty()) return why_absent(record, "no epoch finished");
  return Seconds{record.epoch_seconds.front()};
}

Reading<Seconds> startup(const CaseRecord& record) {
  if (record.warmup_epochs == 0) return absent("no warm-up epoch to compare the steady ones with");
  return median_epoch(record).then([&](double median) {
    const double beyond = std::max(0.0, first_epoch(record).value().value - median);
    return record.setup.then([=](Seconds setup) { return setup + Seconds{beyond}; });
  });
}

Reading<Seconds> fit_time(const CaseRecord& record) {
  if (record.protocol != Protocol::kFit) return absent("the protocol epoch times no whole fit");
  if (record.status != RowStatus::kOk || record.epoch_seconds.empty()) {
    return why_absent(record, "no epoch finished");
  }
  return record.setup.then([&](Seconds setup) {
    return setup + Seconds{total(record.epoch_seconds) + total(record.validation_seconds)};
  });
}

Reading<double> final_loss(const CaseRecord& record) {
  if (record.training.empty() || record.training.front().second.empty()) {
    return why_absent(record, "no epoch finished");
  }
  const double loss = record.training.front().second.back();
  if (!std::isfinite(loss)) return absent("the loss of the last epoch is not finite");
  return loss;
}

Reading<double> value_of(const Reading<NamedValues>& values, const std::string& name) {
  return values.then([&](const NamedValues& all) -> Reading<double> {
    for (const auto& [key, value] : all) {
      if (key == name) return value;
    }
    return absent("the model has no figure called " + name);
  });
}

Reading<double> flops_per_second(const CaseRecord& record) {
  return record.train_flop_per_sample.then([&](double flop) {
    return samples_per_second(record).then([=](double samples) { return flop * samples; });
  });
}

Reading<double> flops_per_second_of_rank(const CaseRecord& record) {
  return flops_per_second(record).then([&](double rate) { return rate / static_cast<double>(record.ranks); });
}

Reading<double> mfu(const CaseRecord& record) { return at_most_whole(raw_compute_share(record), kAbovePeak); }

Reading<double> compute_share(const CaseRecord& record) {
  // Rates relate as times do.
  return mfu(record);
}

Reading<double> memory_share(const CaseRecord& record) {
  return at_most_whole(raw_memory_share(record), kAboveMemory);
}

Reading<double> launch_share(const CaseRecord& record) {
  return at_most_whole(raw_launch_share(record), kAboveLaunch);
}

Reading<double> input_share(const CaseRecord& record) {
  if (record.mode.loader != Loader::kHost) return absent("samples were on the device before the epochs");
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (record.input_wait_seconds.size() <= dropped) return absent("no wait was measured after the warm-up");
  const std::span<const double> waits(record.input_wait_seconds);
  return part_of_epoch(record, median_of(waits.subspan(dropped)));
}

Reading<std::string> bound(const CaseRecord& record) {
  for (const auto& [name, wait] : waits_of(record)) {
    if (or_zero(wait) > kMost) return std::string(name);
  }
  return bound_among(shares_of(record));
}

Reading<double> unexplained_share(const CaseRecord& record) {
  double waited = 0;
  for (const auto& [name, wait] : waits_of(record)) waited += or_zero(wait);
  const Reading<double> largest = largest_of(explaining(shares_of(record)));
  return largest.then([=](double part) { return std::max(0.0, 1 - waited - part); });
}

Reading<std::string> likely_cause(const CaseRecord& record) {
  return bound(record).then([&](const std::string& name) -> Reading<std::string> {
    if (name != kNoBound) return absent("`bound` explains most of the time");
    std::vector<Cause> causes = causes_around(record);
    append(causes, causes_among(shares_of(record)));
    for (const auto& [wait, share] : waits_of(record)) causes.emplace_back(wait, or_zero(share));
    return likeliest(causes);
  });
}

std::vector<RepeatGroup> repeat_groups(const RunRecord& run) {
  std::vector<RowIdentity> identities;
  std::vector<double> medians;
  for (const CaseRecord& record : run.cases) {
    const Reading<double> median = median_epoch(record);
    if (record.status != RowStatus::kOk || !median.has_value()) continue;
    identities.push_back(identity_of(record));
    medians.push_back(median.value());
  }
  std::vector<RepeatGroup> groups;
  for (const std::vector<std::size_t>& positions : repeats_of(identities)) {
    if (positions.size() < 2) continue;
    RepeatGroup& group = groups.emplace_back();
    group.identity = identities[positions.front()];
    for (const std::size_t i : positions) group.medians.push_back(medians[i]);
    group.summary = summarize(group.medians);
    group.interval = median_interval_of_independent(group.medians);
  }
  return groups;
}

Reading<Estimate> call_time(const OpRecord& record) {
  return median_call(record).then([&](double median) {
    return Estimate{median, median_interval(record.call_seconds)};
  });
}

Reading<double> flops_per_second(const OpRecord& record) {
  return rate(record.flop, record, "a call only moves data");
}

Reading<double> bytes_per_second(const OpRecord& record) {
  return record.traffic.then([&](Bytes traffic) {
    return rate(static_cast<double>(traffic.value), record, "a call moves no data");
  });
}

Reading<double> flops_share(const OpRecord& record) {
  return at_most_whole(raw_compute_share(record), kAbovePeak);
}

Reading<double> bandwidth_share(const OpRecord& record) {
  return at_most_whole(raw_memory_share(record), kAboveMemory);
}

Reading<Seconds> launch_cost(const OpRecord& record) {
  return median_call(record).then([&](double alone) -> Reading<Seconds> {
    if (record.graph_call_seconds.empty()) return absent("no graph was recorded");
    return Seconds{alone - median_of(record.graph_call_seconds)};
  });
}

Reading<std::string> bound(const OpRecord& record) { return bound_among(shares_of(record)); }

Reading<double> unexplained_share(const OpRecord& record) {
  return largest_of(explaining(shares_of(record))).then([](double largest) { return 1 - largest; });
}

Reading<std::string> likely_cause(const OpRecord& record) {
  return bound(record).then([&](const std::string& name) -> Reading<std::string> {
    if (name != kNoBound) return absent("`bound` explains most of the time");
    return likeliest(causes_among(shares_of(record)));
  });
}

bool is_slow(const OpRecord& record) {
  if (record.status != RowStatus::kOk) return false;
  const Reading<double> share = largest_of(shares_of(record));
  return share.has_value() && share.value() < kSlow;
}

}  // namespace gpubench
