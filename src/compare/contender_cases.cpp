#include "compare/contender_cases.h"

#include <algorithm>
#include <functional>

#include "compare/energy_figures.h"
#include "gpubench/core/bootstrap.h"
#include "gpubench/core/median_ratio.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

using Records = std::vector<const CaseRecord*>;

/// The checksums of the files, so that equal data has equal text.
std::string digest_of(const RunRecord& run, const CaseRecord& record) {
  if (record.is_synthetic) return "synthetic";
  std::string digest;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (dataset.name != record.dataset) continue;
    for (const DataFileRecord& file : dataset.files) digest += file.sha256.substr(0, 8);
  }
  return digest;
}

void copy_plan(const CaseRecord& record, CaseFigures& figures) {
  figures.model = record.model;
  figures.sizes = record.sizes;
  figures.dataset = record.dataset;
  figures.batch_size = record.batch_size;
  figures.mode = record.mode;
  figures.protocol = record.protocol;
  figures.optimizer = record.optimizer;
  figures.train_samples = record.train_samples;
  figures.epochs = static_cast<std::int64_t>(record.epoch_seconds.size());
  figures.is_last_batch_dropped = record.is_last_batch_dropped;
  if (record.execution_used.has_value()) figures.execution_used = record.execution_used.value();
  if (record.layout_used.has_value()) figures.layout_used = record.layout_used.value();
}

/// The median over the repetitions that have the figure; the reason of the first where none has.
Reading<double> median_over(const Records& records,
                            const std::function<Reading<double>(const CaseRecord&)>& figure) {
  std::vector<double> values;
  for (const CaseRecord* record : records) {
    if (const Reading<double> value = figure(*record); value.has_value()) values.push_back(value.value());
  }
  if (values.empty()) return figure(*records.front());
  return median_of(values);
}

/// Epochs of one process after the other, where the processes are too few for an interval of their own.
std::vector<double> pooled_epochs(const Records& records) {
  std::vector<double> epochs;
  for (const CaseRecord* record : records) {
    const auto steady = steady_epochs(*record);
    epochs.insert(epochs.end(), steady.begin(), steady.end());
  }
  return epochs;
}

std::vector<double> process_medians(const Records& records) {
  std::vector<double> medians;
  for (const CaseRecord* record : records) {
    const auto steady = steady_epochs(*record);
    if (!steady.empty()) medians.push_back(median_of(steady));
  }
  return medians;
}

Reading<Estimate> epoch_estimate(const Records& records, const std::vector<double>& medians,
                                 Intervals intervals) {
  if (medians.empty()) return absent("no epoch after the warm-up");
  const double median = median_of(medians);
  if (median <= 0) return absent("an epoch took no measurable time");
  if (intervals == Intervals::kLeftOut) return Estimate{median, absent("left out of so many files")};
  const Reading<Interval> interval = median_interval_of_independent(medians);
  return Estimate{median, interval.has_value() ? interval : median_interval(pooled_epochs(records))};
}

Reading<double> startup_seconds(const CaseRecord& record) {
  const Reading<Seconds> seconds = startup(record);
  return seconds.has_value() ? Reading<double>(seconds.value().value) : absent(seconds.reason());
}

Reading<double> peak_bytes(const CaseRecord& record) {
  const Reading<Bytes>& peak = record.device == "cpu" ? record.peak_host : record.peak_device;
  return peak.has_value() ? Reading<double>(static_cast<double>(peak.value().value)) : absent(peak.reason());
}

Reading<double> accuracy(const CaseRecord& record) { return value_of(record.test, "accuracy"); }

void measure(const Records& records, Intervals intervals, CaseFigures& figures) {
  figures.process_seconds = process_medians(records);
  figures.epoch_seconds = epoch_estimate(records, figures.process_seconds, intervals);
  figures.startup_seconds = median_over(records, startup_seconds);
  figures.peak_bytes = median_over(records, peak_bytes);
  figures.accuracy = median_over(records, accuracy);
}

void mark_absent(CaseFigures& figures) {
  const Absent why = absent("the case ended as " + to_string(figures.status));
  figures.epoch_seconds = why;
  figures.startup_seconds = why;
  figures.peak_bytes = why;
  figures.accuracy = why;
  figures.epoch_joules = why;
}

bool is_ok(const CaseRecord* record) { return record->status == CaseStatus::kOk; }

}  // namespace

CaseFigures figures_of(const RunRecord& run, const std::vector<std::size_t>& positions, Intervals intervals) {
  Records good;
  for (const std::size_t position : positions) good.push_back(&run.cases[position]);
  const CaseRecord& first = *good.front();
  CaseFigures figures;
  figures.has_warnings = std::any_of(good.begin(), good.end(),
                                     [](const CaseRecord* record) { return !record->warnings.empty(); });
  std::erase_if(good, [](const CaseRecord* record) { return !is_ok(record); });
  const CaseRecord& typical = good.empty() ? first : *good.front();
  copy_plan(typical, figures);
  figures.dataset_digest = digest_of(run, typical);
  figures.status = typical.status;
  figures.status_reason = typical.status_reason;
  figures.processes = static_cast<std::int64_t>(good.size());
  figures.failures = static_cast<std::int64_t>(positions.size() - good.size());
  if (good.empty()) {
    mark_absent(figures);
    return figures;
  }
  measure(good, intervals, figures);
  if (run.published) {
    state_energy(run, positions.front(), figures);
  } else {
    measure_energy(good, intervals, figures);
  }
  return figures;
}

Estimate ratio_of_times(const CaseFigures& over, const CaseFigures& under) {
  const std::size_t fewest = std::min(over.process_seconds.size(), under.process_seconds.size());
  if (fewest >= kEnoughProcesses) return ratio_of_medians(over.process_seconds, under.process_seconds);
  return ratio_of(over.epoch_seconds.value(), under.epoch_seconds.value());
}

}  // namespace gpubench
