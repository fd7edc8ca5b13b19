#include "gpubench/record/run_record.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

void append(NamedSeries& series, const NamedValues& values) {
  if (series.empty()) {
    for (const auto& [name, value] : values) series.push_back({name, {}});
  }
  const auto name = [](const auto& figure) { return std::string_view(figure.first); };
  if (!std::ranges::equal(series, values, {}, name, name))
    throw Error(ErrorKind::kData, "the metrics of an epoch differ from those of earlier epochs");
  for (std::size_t i = 0; i < values.size(); ++i) series[i].second.push_back(values[i].second);
}

template <class T, class Value>
void append(std::vector<Value>& list, const std::optional<T>& quantity) {
  if (quantity) list.push_back(quantity->value);
}

/// Keeps the blocks of the last epochs. An epoch without blocks clears the list, which must have no gaps.
void add_blocks(CaseRecord& record, const std::vector<double>& seconds) {
  std::vector<double>& all = record.block_seconds;
  if (seconds.empty()) return all.clear();
  const std::size_t most = (kMostStampedEpochs - 1) * seconds.size();
  if (all.size() > most) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most));
  all.insert(all.end(), seconds.begin(), seconds.end());
}

}  // namespace

void add_training(CaseRecord& record, const EpochRecord& epoch) {
  append(record.training, epoch.training);
  record.epoch_seconds.push_back(epoch.duration.value);
  add_blocks(record, epoch.block_seconds);
  record.trained_steps += epoch.steps;
  record.trained_samples += epoch.samples;
  append(record.epoch_host_bytes, epoch.host);
  append(record.epoch_device_bytes, epoch.device);
  append(record.input_wait_seconds, epoch.input_wait);
  append(record.communication_seconds, epoch.communication);
  const std::vector<double>& busy = epoch.rank_busy_seconds;
  if (busy.empty()) return;
  const double sum = std::accumulate(busy.begin(), busy.end(), 0.0);
  const auto ranks = static_cast<double>(busy.size());
  record.imbalance.push_back(sum > 0 ? std::ranges::max(busy) * ranks / sum - 1 : 0);
  record.rank_busy_seconds.resize(busy.size());
  std::ranges::transform(record.rank_busy_seconds, busy, record.rank_busy_seconds.begin(), std::plus());
}

void add_validation(CaseRecord& record, const EpochRecord& epoch) {
  if (!epoch.validation) return;
  append(record.validation_history, epoch.validation_figures);
  append(record.validation_seconds, epoch.validation);
}

void add_epoch(CaseRecord& record, const EpochRecord& epoch) {
  add_training(record, epoch);
  add_validation(record, epoch);
  record.timeline.insert(record.timeline.end(), epoch.phases.begin(), epoch.phases.end());
}

}  // namespace gpubench
