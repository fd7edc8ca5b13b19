#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

Absent why_absent(const CaseRecord& record, const std::string& otherwise) {
  return absent(record.status == CaseStatus::kOk ? otherwise
                                                 : "the case ended as " + to_string(record.status));
}

}  // namespace

std::span<const double> steady_epochs(const CaseRecord& record) {
  const std::span<const double> all(record.epoch_seconds);
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  return all.size() <= dropped ? std::span<const double>() : all.subspan(dropped);
}

Reading<Summary> epoch_summary(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  if (steady.empty()) return why_absent(record, "no epoch after the warm-up");
  return summarize(steady);
}

Reading<double> samples_per_second(const CaseRecord& record) {
  const auto summary = epoch_summary(record);
  if (!summary.has_value()) return absent(summary.reason());
  if (summary.value().median <= 0) return absent("an epoch took no measurable time");
  return static_cast<double>(record.train_samples) / summary.value().median;
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

Reading<double> value_of(const Reading<NamedValues>& values, const std::string& name) {
  if (!values.has_value()) return absent(values.reason());
  for (const auto& [key, value] : values.value()) {
    if (key == name) return value;
  }
  return absent("the model has no figure called " + name);
}

}  // namespace gpubench
