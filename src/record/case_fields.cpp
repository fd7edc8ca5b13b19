#include "gpubench/record/derived.h"
#include "record/field_value.h"

namespace gpubench {

std::string to_string(CaseStatus status) {
  switch (status) {
    case CaseStatus::kOk:
      return "ok";
    case CaseStatus::kOutOfMemory:
      return "oom";
    case CaseStatus::kUnsupported:
      return "unsupported";
    case CaseStatus::kError:
      return "error";
    case CaseStatus::kDiverged:
      return "diverged";
  }
  return "error";
}

namespace {

using Getter = std::function<FieldValue(const CaseRecord&)>;

/// Getter for a function of the record: `derived(startup)`.
template <class Function>
Getter derived(Function function) {
  return [function](const CaseRecord& record) { return field_value(function(record)); };
}

/// Getter for one figure of the epoch summary.
Getter summary(double Summary::*figure) {
  return [figure](const CaseRecord& record) -> FieldValue {
    const auto summary = epoch_summary(record);
    if (!summary.has_value()) return absent(summary.reason());
    return summary.value().*figure;
  };
}

FieldValue test_accuracy(const CaseRecord& record) { return field_value(value_of(record.test, "accuracy")); }
FieldValue status(const CaseRecord& record) { return to_string(record.status); }
FieldValue status_reason(const CaseRecord& record) {
  if (record.status == CaseStatus::kOk) return absent("the case ended well");
  return record.status_reason;
}

FieldValue epoch_stddev(const CaseRecord& record) {
  const auto summary = epoch_summary(record);
  return summary.has_value() ? field_value(summary.value().stddev) : absent(summary.reason());
}

std::vector<Field<CaseRecord>> make_case_fields() {
  using C = CaseRecord;
  return {
      {"model", "", "model", Shown::kInTable, member(&C::model)},
      {"dataset", "", "dataset", Shown::kInTable, member(&C::dataset)},
      {"device", "", "device", Shown::kInTable, member(&C::device)},
      {"batch", "", "batch", Shown::kInTable, member(&C::batch_size)},
      {"epochs", "", "epochs", Shown::kInFile, member(&C::epochs)},
      {"warmup_epochs", "", "warm-up epochs", Shown::kInFile, member(&C::warmup_epochs)},
      {"seed", "", "seed", Shown::kInFile, member(&C::seed)},
      {"learning_rate", "", "learning rate", Shown::kInFile, member(&C::learning_rate)},
      {"synthetic", "", "synthetic data", Shown::kInFile, member(&C::is_synthetic)},
      {"item", "", "counted as a sample", Shown::kInFile, member(&C::item)},
      {"precision", "", "precision", Shown::kInFile, member(&C::precision)},
      {"optimizer", "", "optimizer", Shown::kInFile, member(&C::optimizer)},
      {"train_samples", "", "samples an epoch", Shown::kInFile, member(&C::train_samples)},
      {"steps_per_epoch", "", "steps an epoch", Shown::kInFile, member(&C::steps_per_epoch)},
      {"last_batch", "", "size of the last batch", Shown::kInFile, member(&C::last_batch_size)},
      {"last_batch_dropped", "", "last batch dropped", Shown::kInFile, member(&C::is_last_batch_dropped)},
      {"validation_samples", "", "samples validated on", Shown::kInFile, member(&C::validation_samples)},
      {"test_samples", "", "samples tested on", Shown::kInFile, member(&C::test_samples)},
      {"parameters", "", "parameters", Shown::kInFile, member(&C::parameters)},
      {"forward_macs", "MAC", "forward MAC a sample", Shown::kInFile, member(&C::forward_macs)},
      {"status", "", "status", Shown::kInTable, status},
      {"status_message", "", "status message", Shown::kInFile, status_reason},
      {"epoch_seconds", "s", "epochs", Shown::kInFile, member(&C::epoch_seconds)},
      {"setup_seconds", "s", "set-up", Shown::kInFile, member(&C::setup)},
      {"startup_seconds", "s", "start-up", Shown::kInTable, derived(startup)},
      {"first_epoch_seconds", "s", "epoch 1", Shown::kInTable, derived(first_epoch)},
      {"median_epoch_seconds", "s", "median", Shown::kInTable, summary(&Summary::median)},
      {"mean_epoch_seconds", "s", "mean", Shown::kInFile, summary(&Summary::mean)},
      {"stddev_epoch_seconds", "s", "std dev", Shown::kInTable, epoch_stddev},
      {"min_epoch_seconds", "s", "min", Shown::kInFile, summary(&Summary::min)},
      {"max_epoch_seconds", "s", "max", Shown::kInFile, summary(&Summary::max)},
      {"samples_per_second", "samples/s", "samples/s", Shown::kInTable, derived(samples_per_second)},
      {"accuracy", "fraction", "accuracy", Shown::kInTable, test_accuracy},
      {"training", "", "training, an epoch each", Shown::kInFile, member(&C::training)},
      {"validation", "", "validation", Shown::kInFile, member(&C::validation)},
      {"test", "", "test", Shown::kInFile, member(&C::test)},
  };
}

}  // namespace

std::span<const Field<CaseRecord>> case_fields() {
  static const std::vector<Field<CaseRecord>> fields = make_case_fields();
  return fields;
}

}  // namespace gpubench
