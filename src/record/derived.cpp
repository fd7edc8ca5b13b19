#include "gpubench/record/derived.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpubench/core/stats/trend.h"

namespace gpubench {
namespace {

Absent why_absent(const CaseRecord& record, const std::string& otherwise) {
  return absent(record.status == RowStatus::kOk ? otherwise
                                                : "the case ended as " + to_string(record.status));
}

bool can_show_trend(const CaseRecord& record) { return steady_epochs(record).size() >= kLeastForTrend; }

Absent too_few_for_trend(const CaseRecord& record) {
  return why_absent(record, "fewer than " + std::to_string(kLeastForTrend) + " epochs after the warm-up");
}

double total(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// A file can hold any number: what is none cannot be sorted, and squares of huge ones overflow.
bool is_time(double seconds) { return std::isfinite(seconds) && std::abs(seconds) < 1e100; }

}  // namespace

std::span<const double> steady_epochs(const CaseRecord& record) {
  const std::span<const double> all(record.epoch_seconds);
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (all.size() <= dropped) return {};
  const std::span<const double> steady = all.subspan(dropped);
  return std::all_of(steady.begin(), steady.end(), is_time) ? steady : std::span<const double>();
}

Reading<Summary> epoch_summary(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  if (steady.empty()) return why_absent(record, "no epoch after the warm-up");
  return summarize(steady);
}

Reading<Interval> epoch_interval(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  if (steady.empty()) return why_absent(record, "no epoch after the warm-up");
  return median_interval(steady);
}

Reading<double> halfwidth(const Reading<Interval>& interval, double median) {
  if (!interval.has_value()) return absent(interval.reason());
  if (median <= 0) return absent("the median is zero");
  return (interval.value().high - interval.value().low) / 2 / median;
}

std::vector<std::int64_t> outlier_epochs(const CaseRecord& record) {
  std::vector<std::int64_t> numbers;
  for (const std::size_t position : outliers(steady_epochs(record))) {
    numbers.push_back(record.warmup_epochs + static_cast<std::int64_t>(position) + 1);
  }
  return numbers;
}

Reading<bool> is_steady(const CaseRecord& record) {
  if (!can_show_trend(record)) return too_few_for_trend(record);
  return is_level(steady_epochs(record));
}

Reading<double> epoch_slope(const CaseRecord& record) {
  if (!can_show_trend(record)) return too_few_for_trend(record);
  return trend_of(steady_epochs(record)).slope;
}

Reading<double> samples_per_second(const CaseRecord& record) {
  const auto summary = epoch_summary(record);
  if (!summary.has_value()) return absent(summary.reason());
  if (summary.value().median <= 0) return absent("an epoch took no measurable time");
  if (record.train_samples <= 0) return absent("how many samples an epoch has is not told");
  return static_cast<double>(record.train_samples) / summary.value().median;
}

Reading<double> tokens_per_second(const CaseRecord& record) {
  if (record.tokens_per_sample == 0) return absent("the samples are no sequences of tokens");
  const Reading<double> samples = samples_per_second(record);
  if (!samples.has_value()) return samples;
  return samples.value() * static_cast<double>(record.tokens_per_sample);
}

Reading<double> perplexity(const CaseRecord& record) {
  if (record.tokens_per_sample == 0) return absent("the samples are no sequences of tokens");
  const Reading<double> loss = value_of(record.test, "loss");
  if (!loss.has_value()) return loss;
  const double value = std::exp(loss.value());
  return std::isfinite(value) ? Reading<double>(value) : absent("the loss is too large for it");
}

Reading<double> elbo(const CaseRecord& record) {
  const Reading<double> divergence = value_of(record.test, "divergence");
  if (!divergence.has_value()) return divergence;
  const Reading<double> reconstruction = value_of(record.test, "reconstruction");
  if (!reconstruction.has_value()) return reconstruction;
  return -(reconstruction.value() + divergence.value());
}

Reading<Seconds> first_epoch(const CaseRecord& record) {
  if (record.epoch_seconds.empty()) return why_absent(record, "no epoch finished");
  return Seconds{record.epoch_seconds.front()};
}

Reading<Seconds> startup(const CaseRecord& record) {
  if (record.warmup_epochs == 0) return absent("no warm-up epoch to compare the steady ones with");
  const auto summary = epoch_summary(record);
  if (!summary.has_value()) return absent(summary.reason());
  if (!record.setup.has_value()) return absent(record.setup.reason());
  return record.setup.value() + first_epoch(record).value() - Seconds{summary.value().median};
}

Reading<Seconds> fit_time(const CaseRecord& record) {
  if (record.protocol != Protocol::kFit) return absent("the protocol epoch times no whole fit");
  if (record.status != RowStatus::kOk || record.epoch_seconds.empty()) {
    return why_absent(record, "no epoch finished");
  }
  if (!record.setup.has_value()) return absent(record.setup.reason());
  return record.setup.value() + Seconds{total(record.epoch_seconds) + total(record.validation_seconds)};
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
  if (!values.has_value()) return absent(values.reason());
  for (const auto& [key, value] : values.value()) {
    if (key == name) return value;
  }
  return absent("the model has no figure called " + name);
}

std::vector<RepeatGroup> repeat_groups(const RunRecord& run) {
  std::vector<RowIdentity> identities;
  std::vector<double> medians;
  for (const CaseRecord& record : run.cases) {
    const auto epochs = epoch_summary(record);
    if (record.status != RowStatus::kOk || !epochs.has_value()) continue;
    identities.push_back(identity_of(record));
    medians.push_back(epochs.value().median);
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

}  // namespace gpubench
