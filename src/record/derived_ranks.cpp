#include <algorithm>
#include <cmath>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

/// Returns the values after the warm-up of a list with one value per epoch.
Measured<std::vector<double>> after_warmup(const CaseRecord& record, const std::vector<double>& values) {
  if (record.ranks < 2) return missing("a single rank has no exchange");
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (values.size() != record.epoch_seconds.size() || values.size() <= dropped)
    return missing("not measured after the warm-up");
  return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(dropped), values.end());
}

Measured<double> median_imbalance(const CaseRecord& record) {
  return after_warmup(record, record.imbalance).then(compute_median);
}

struct Repeats {
  RowIdentity identity = make_identity(CaseRecord{});
  std::vector<const CaseRecord*> records;

  std::vector<double> figures(Measured<double> (*figure)(const CaseRecord&)) const {
    std::vector<double> values;
    for (const CaseRecord* record : records) {
      const Measured<double> value = figure(*record);
      if (value.has_value()) values.push_back(value.value());
    }
    return values;
  }
  /// Returns the median; if no repeat has the figure, the reason of the first.
  Measured<double> median(Measured<double> (*figure)(const CaseRecord&)) const {
    const std::vector<double> values = figures(figure);
    return values.empty() ? figure(*records.front()) : compute_median(values);
  }
};

std::vector<Repeats> repeats_in(const RunRecord& run) {
  std::vector<const CaseRecord*> timed;
  for (const CaseRecord& record : run.cases) {
    if (record.status == RowStatus::kOk && samples_per_second(record).has_value()) timed.push_back(&record);
  }
  // Dropped last batches may differ in size between world sizes.
  const auto identities = mapped(
      timed, [](const CaseRecord* record) { return make_identity(*record).without({"train_samples"}); });
  return mapped(group_repeats(identities), [&](const std::vector<std::size_t>& positions) {
    return Repeats{identities[positions.front()], mapped(positions, [&](std::size_t i) { return timed[i]; })};
  });
}

/// Returns the interval of a ratio of positive figures, from the ends of both intervals.
Measured<Interval> ratio_interval(const Repeats& one, const Repeats& other, double ranks) {
  const auto compute_interval = [](const Repeats& repeats) {
    return median_interval_of_independent(repeats.figures(samples_per_second));
  };
  return compute_interval(one).then([&](const Interval& a) {
    return compute_interval(other).then([&](const Interval& b) {
      return Interval{a.low / b.high / ranks, a.high / b.low / ranks};
    });
  });
}

ScalingRow scaling_row(const std::string& kind, const Repeats& several, const Repeats& single) {
  ScalingRow row;
  row.identity = several.identity;
  row.kind = kind;
  row.ranks = several.records.front()->ranks;
  row.samples_per_second = several.median(samples_per_second).value();
  row.single_samples_per_second = single.median(samples_per_second).value();
  const auto ranks = static_cast<double>(row.ranks);
  row.efficiency = row.samples_per_second / row.single_samples_per_second / ranks;
  row.interval = ratio_interval(several, single, ranks);
  row.communication_share = several.median(communication_share);
  row.imbalance = several.median(median_imbalance);
  return row;
}

/// Returns the bytes on each link per byte of the collective, for `n` ranks.
Measured<double> bus_factor(const std::string& op, double n) {
  if (op == "all_reduce") return 2 * (n - 1) / n;
  if (op == "all_gather" || op == "reduce_scatter") return (n - 1) / n;
  if (op == "broadcast" || op == "send_receive") return 1.0;
  return missing("not a collective");
}

using TimedSize = std::pair<double, double>;  // Bytes and seconds.

/// Minimizes the sum of (a + b S_i - t_i)^2 / t_i^2.
LatencyFit fit_latency(const std::vector<TimedSize>& rows) {
  double w = 0;
  double ws = 0;
  double wss = 0;
  double wt = 0;
  double wst = 0;
  for (const auto& [s, t] : rows) {
    const double weight = 1 / (t * t);
    w += weight;
    ws += weight * s;
    wss += weight * s * s;
    wt += weight * t;
    wst += weight * s * t;
  }
  const double slope = (w * wst - ws * wt) / (w * wss - ws * ws);
  LatencyFit fit;
  fit.latency_seconds = (wt - slope * ws) / w;
  fit.bytes_per_second = 1 / slope;
  for (const auto& [s, t] : rows)
    fit.worst = std::max(fit.worst, std::abs(fit.latency_seconds + slope * s - t) / t);
  return fit;
}

}  // namespace

std::vector<ScalingRow> compute_scaling(const RunRecord& run) {
  std::vector<ScalingRow> rows;
  const std::vector<Repeats> all = repeats_in(run);
  for (const Repeats& several : all) {
    const CaseRecord& first = *several.records.front();
    if (first.ranks < 2) continue;
    const auto add = [&](const std::string& kind, std::int64_t batch) {
      const RowIdentity wanted =
          several.identity.with("world_size", "1").with("batch_size", std::to_string(batch));
      const auto single = std::ranges::find(all, wanted, &Repeats::identity);
      if (single != all.end()) rows.push_back(scaling_row(kind, several, *single));
    };
    add("strong", first.batch_size);
    if (first.batch_size % first.ranks == 0) add("weak", first.batch_size / first.ranks);
  }
  return rows;
}

Measured<double> communication_share(const CaseRecord& record) {
  return after_warmup(record, record.communication_seconds).then([&](const std::vector<double>& waits) {
    std::vector<double> shares(waits.size());
    std::ranges::transform(waits, std::span(record.epoch_seconds).last(waits.size()), shares.begin(),
                           [](double wait, double epoch) { return epoch > 0 ? wait / epoch : 0; });
    return compute_median(shares);
  });
}

Measured<double> bus_bytes_per_second(const OpRecord& record) {
  return bus_factor(record.op, static_cast<double>(record.ranks)).then([&](double factor) {
    return bytes_per_second(record).then([=](double rate) { return factor * rate; });
  });
}

std::vector<LatencyFit> latency_fits(const RunRecord& ops) {
  constexpr std::size_t kLeastRows = 3;
  const auto kinds =
      mapped(ops.operations, [](const OpRecord& row) { return make_identity(row).without({"sizes"}); });
  std::vector<LatencyFit> fits;
  for (const std::vector<std::size_t>& positions : group_repeats(kinds)) {
    std::vector<TimedSize> sizes;
    const OpRecord* timed = nullptr;
    for (const std::size_t i : positions) {
      const OpRecord& row = ops.operations[i];
      const Measured<Estimate> time = call_time(row);
      if (row.status != RowStatus::kOk || row.ranks < 2 || !row.traffic.has_value()) continue;
      if (!time.has_value() || time.value().value <= 0) continue;
      sizes.emplace_back(static_cast<double>(row.traffic.value().value), time.value().value);
      timed = &row;
    }
    if (sizes.size() < kLeastRows) continue;
    LatencyFit fit = fit_latency(sizes);
    fit.op = timed->op;
    fit.ranks = timed->ranks;
    fit.backend = timed->backend.value_or("");
    fits.push_back(fit);
  }
  return fits;
}

const FieldTable<ScalingRow>& scaling_fields() {
  using S = ScalingRow;
  const auto part = [](std::string_view key) {
    return derived<S>([key](const S& row) { return row.identity.at(key); });
  };
  static const FieldTable<S> fields({
      {"model", "", "model", kInTable, "Model of the cases.", part("model")},
      {"dataset", "", "dataset", kInTable, "Dataset of the cases.", part("dataset")},
      {"kind", "", "scaling", kInTable, "`strong`: equal total batch; `weak`: equal batch per rank.",
       derived<S>(&S::kind)},
      {"world_size", "", "ranks", kInTable, "Number of ranks.", derived<S>(&S::ranks)},
      {"batch_size", "", "batch", kInTable, "Samples per step over all ranks.",
       derived<S>([](const S& row) { return row.identity.number("batch_size"); })},
      {"samples_per_second", "samples/s", "samples/s", kInTable, "Median throughput of all ranks.",
       derived<S>(&S::samples_per_second)},
      {"single_samples_per_second", "samples/s", "one rank", kInTable, "Median throughput of a single rank.",
       derived<S>(&S::single_samples_per_second)},
      {"efficiency", "fraction", "efficiency", kInTable, "Throughput ratio divided by the number of ranks.",
       derived<S>(&S::efficiency)},
      {"communication_share", "fraction", "exchange", kInTable,
       "Median `communication_share` of the repeats.", derived<S>(&S::communication_share)},
      {"imbalance", "fraction", "imbalance", kInTable, "Median `median_imbalance` of the repeats.",
       derived<S>(&S::imbalance)},
  });
  return fields;
}

std::vector<Field<CaseRecord>> rank_figures() {
  return std::vector<Field<CaseRecord>>({
      {"communication_share", "fraction", "exchange", kIfUnusual,
       "Median fraction of an epoch spent waiting for exchanges.",
       derived<CaseRecord>(communication_share).in("exchange").optional()},
      {"median_imbalance", "fraction", "imbalance", kIfUnusual, "Median `imbalance` after the warm-up.",
       derived<CaseRecord>(median_imbalance).in("exchange").optional()},
  });
}

}  // namespace gpubench
