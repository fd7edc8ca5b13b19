#include "gpubench/record/utilization.h"

#include <algorithm>
#include <utility>

#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// a / b, or why one of them is missing.
Reading<double> quotient(const Reading<double>& a, const Reading<double>& b) {
  if (!a.has_value()) return absent(a.reason());
  if (!b.has_value()) return absent(b.reason());
  if (b.value() <= 0) return absent("there is nothing above zero to compare with");
  return a.value() / b.value();
}

double steps_of(const CaseRecord& record) { return static_cast<double>(record.steps_per_epoch); }

/// What all operations of an epoch read and write.
Reading<double> traffic_of_epoch(const CaseRecord& record) {
  if (!record.traffic_per_step.has_value()) return absent(record.traffic_per_step.reason());
  return steps_of(record) * static_cast<double>(record.traffic_per_step.value().value);
}

/// How long they take at the least time of one.
Reading<double> launches_of_epoch(const CaseRecord& record) {
  if (!record.operations_per_step.has_value()) return absent(record.operations_per_step.reason());
  if (!record.operation_latency.has_value()) return absent(record.operation_latency.reason());
  return steps_of(record) * record.operations_per_step.value() * record.operation_latency.value().value;
}

/// `seconds` as a part of the median epoch.
Reading<double> part_of_epoch(const CaseRecord& record, const Reading<double>& seconds) {
  const Reading<Summary> epochs = epoch_summary(record);
  const Reading<double> median =
      epochs.has_value() ? Reading<double>(epochs.value().median) : absent(epochs.reason());
  return quotient(seconds, median);
}

}  // namespace

Reading<double> flops_per_second(const CaseRecord& record) {
  const Reading<double> rate = samples_per_second(record);
  if (!record.train_flop_per_sample.has_value()) return absent(record.train_flop_per_sample.reason());
  if (!rate.has_value()) return absent(rate.reason());
  return record.train_flop_per_sample.value() * rate.value();
}

Reading<double> mfu(const CaseRecord& record) {
  return quotient(flops_per_second(record), record.peak_flops_per_second);
}

Reading<double> compute_share(const CaseRecord& record) {
  // Rates relate as times do.
  return mfu(record);
}

Reading<double> memory_share(const CaseRecord& record) {
  return part_of_epoch(record, quotient(traffic_of_epoch(record), record.peak_bytes_per_second));
}

Reading<double> launch_share(const CaseRecord& record) {
  return part_of_epoch(record, launches_of_epoch(record));
}

Reading<double> input_share(const CaseRecord& record) {
  if (record.mode.loader != Loader::kHost) return absent("samples were on the device before the epochs");
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (record.input_wait_seconds.size() <= dropped) return absent("no wait was measured after the warm-up");
  const std::span<const double> waits(record.input_wait_seconds);
  return part_of_epoch(record, median_of(waits.subspan(dropped)));
}

Reading<std::string> bound(const CaseRecord& record) {
  const Reading<double> input = input_share(record);
  if (input.has_value() && input.value() > 0.5) return std::string("input");
  const std::pair<const char*, Reading<double>> shares[] = {
      {"compute", compute_share(record)}, {"memory", memory_share(record)}, {"launch", launch_share(record)}};
  for (const auto& [name, share] : shares) {
    // The largest of some could be the smallest of all.
    if (!share.has_value()) return absent(share.reason());
  }
  const auto* const largest =
      std::max_element(std::begin(shares), std::end(shares),
                       [](const auto& a, const auto& b) { return a.second.value() < b.second.value(); });
  return std::string(largest->first);
}

}  // namespace gpubench
