#include "gpubench/record/derived.h"
#include "record/case_rows.h"
#include "record/field_value.h"
#include "record/halfwidth.h"
#include "record/named_access.h"

namespace gpubench {
namespace {

using Cases = Access<CaseRecord>;

/// A derived field that is one figure of what `function` gives: `figure(epoch_interval, &Interval::low)`.
template <class Whole, class Figure>
Cases figure(Reading<Whole> (*function)(const CaseRecord&), Figure Whole::*pointer) {
  return {[function, pointer](const CaseRecord& record) -> FieldValue {
    const Reading<Whole> whole = function(record);
    return whole.has_value() ? field_value(whole.value().*pointer) : absent(whole.reason());
  }};
}

Cases summary(double Summary::*pointer) { return figure(epoch_summary, pointer); }

Reading<double> median_halfwidth(const CaseRecord& record) {
  const auto summary = epoch_summary(record);
  if (!summary.has_value()) return absent(summary.reason());
  return halfwidth(epoch_interval(record), summary.value().median);
}

/// A figure of the model on the test split.
Cases of_test(const std::string& name) {
  return {[name](const CaseRecord& record) { return field_value(value_of(record.test, name)); }};
}

/// A field whose value is one of an enumeration; `at` finds it in a record, constant or not.
template <class At, class Enum>
Cases named(At at, Enum (*value_named)(const std::string&)) {
  return named_access<CaseRecord>(at, value_named);
}

Cases status() {
  return {[](const CaseRecord& record) { return to_string(record.status); },
          [](CaseRecord& record, const FieldValue& value) { record.status = case_status(text_in(value)); }};
}

Cases status_message() {
  return {[](const CaseRecord& record) -> FieldValue {
            if (record.status == CaseStatus::kOk) return absent("the case ended well");
            return record.status_reason;
          },
          [](CaseRecord& record, const FieldValue& value) {
            record.status_reason = std::holds_alternative<Absent>(value) ? std::string() : text_in(value);
          }};
}

using C = CaseRecord;
using Rows = CaseRows;

Rows plan_rows() {
  return {
      {"model", "", "model", Shown::kInTable, member(&C::model)},
      {"sizes", "", "sizes", Shown::kInTableWhereUnusual, member(&C::sizes)},
      {"dataset", "", "dataset", Shown::kInTable, member(&C::dataset)},
      {"device", "", "device", Shown::kInTable, member(&C::device)},
      {"batch", "", "batch", Shown::kInTable, member(&C::batch_size)},
      {"execution", "", "execution", Shown::kInTableWhereUnusual,
       named(
           [](auto& r) -> auto& { return r.mode.execution; }, execution_named)},
      {"precision", "", "precision", Shown::kInTableWhereUnusual,
       named(
           [](auto& r) -> auto& { return r.mode.precision; }, precision_named)},
      {"layout", "", "layout", Shown::kInTableWhereUnusual,
       named(
           [](auto& r) -> auto& { return r.mode.layout; }, layout_named)},
      {"loader", "", "loader", Shown::kInTableWhereUnusual,
       named(
           [](auto& r) -> auto& { return r.mode.loader; }, loader_named)},
      {"protocol", "", "protocol", Shown::kInFile,
       named(
           [](auto& r) -> auto& { return r.protocol; }, protocol_named)},
      {"repeat", "", "repeat", Shown::kInTableOfRepeats, member(&C::repeat)},
      {"epochs", "", "epochs", Shown::kInFile, member(&C::epochs)},
      {"min_epochs", "", "fewest epochs", Shown::kInFile, member(&C::min_epochs)},
      {"warmup_epochs", "", "warm-up epochs", Shown::kInFile, member(&C::warmup_epochs)},
      {"min_timed_seconds", "s", "least time of the epochs", Shown::kInFile, member(&C::min_timed)},
      {"target_cv", "fraction", "target for the interval", Shown::kInFile, member(&C::target_cv)},
      {"seed", "", "seed", Shown::kInFile, member(&C::seed)},
      {"learning_rate", "", "learning rate", Shown::kInFile, member(&C::learning_rate)},
  };
}

Rows content_rows() {
  return {
      {"synthetic", "", "synthetic data", Shown::kInFile, member(&C::is_synthetic)},
      {"item", "", "counted", Shown::kInFile, member(&C::item)},
      {"tokens_per_sample", "", "tokens a sample", Shown::kInFile, member(&C::tokens_per_sample)},
      {"execution_used", "", "execution used", Shown::kInFile, member(&C::execution_used)},
      {"execution_note", "", "why", Shown::kInFile, member(&C::execution_note)},
      {"layout_used", "", "layout used", Shown::kInFile, member(&C::layout_used)},
      {"layout_note", "", "why", Shown::kInFile, member(&C::layout_note)},
      {"optimizer", "", "optimizer", Shown::kInFile, member(&C::optimizer)},
      {"train_samples", "", "samples an epoch", Shown::kInFile, member(&C::train_samples)},
      {"steps_per_epoch", "", "steps an epoch", Shown::kInFile, member(&C::steps_per_epoch)},
      {"last_batch", "", "size of the last batch", Shown::kInFile, member(&C::last_batch_size)},
      {"last_batch_dropped", "", "last batch dropped", Shown::kInFile, member(&C::is_last_batch_dropped)},
      {"validation_samples", "", "samples validated on", Shown::kInFile, member(&C::validation_samples)},
      {"test_samples", "", "samples tested on", Shown::kInFile, member(&C::test_samples)},
      {"parameters", "", "parameters", Shown::kInFile, member(&C::parameters)},
      {"forward_macs", "MAC", "forward MAC a sample", Shown::kInFile, member(&C::forward_macs)},
  };
}

Rows outcome_rows() {
  return {
      {"status", "", "status", Shown::kInTable, status()},
      {"status_message", "", "status message", Shown::kInFile, status_message()},
      {"skip_rule", "", "why skipped", Shown::kInFile, member(&C::skip_rule)},
      {"skip_trigger", "", "skipped because of", Shown::kInFile, member(&C::skip_trigger)},
      {"requested_bytes", "B", "memory asked for", Shown::kInFile, member(&C::requested)},
      {"available_bytes", "B", "memory free then", Shown::kInFile, member(&C::available)},
      {"last_lines", "", "last words", Shown::kInFile, member(&C::last_lines)},
      {"warnings", "", "warnings", Shown::kInFile, member(&C::warnings)},
      {"started_at", "", "started", Shown::kInFile, member(&C::started_at)},
      {"clock_start_seconds", "s", "started, on the machine's clock", Shown::kInFile,
       member(&C::clock_start)},
      {"timeline", "", "timeline", Shown::kInFile, member(&C::timeline)},
      {"epoch_seconds", "s", "epochs", Shown::kInFile, member(&C::epoch_seconds)},
      {"stopped_by", "", "why no further epoch", Shown::kInFile, member(&C::stopped_by)},
      {"setup_seconds", "s", "set-up", Shown::kInFile, member(&C::setup)},
  };
}

Rows statistics_rows() {
  return {
      {"startup_seconds", "s", "start-up", Shown::kInTable, derived(startup)},
      {"first_epoch_seconds", "s", "epoch 1", Shown::kInTable, derived(first_epoch)},
      {"median_epoch_seconds", "s", "median", Shown::kInTable, summary(&Summary::median)},
      {"median_epoch_low_seconds", "s", "low", Shown::kInFile, figure(epoch_interval, &Interval::low)},
      {"median_epoch_high_seconds", "s", "high", Shown::kInFile, figure(epoch_interval, &Interval::high)},
      {"median_epoch_halfwidth", "fraction", "±", Shown::kInTable, derived(median_halfwidth)},
      {"mad_epoch_seconds", "s", "MAD", Shown::kInFile, summary(&Summary::mad)},
      {"mean_epoch_seconds", "s", "mean", Shown::kInFile, summary(&Summary::mean)},
      {"stddev_epoch_seconds", "s", "std dev", Shown::kInTable, figure(epoch_summary, &Summary::stddev)},
      {"min_epoch_seconds", "s", "min", Shown::kInFile, summary(&Summary::min)},
      {"max_epoch_seconds", "s", "max", Shown::kInFile, summary(&Summary::max)},
      {"outlier_epochs", "", "outliers", Shown::kInFile, derived(outlier_epochs)},
      {"steady", "", "steady", Shown::kInFile, derived(is_steady)},
      {"epoch_slope", "fraction", "change an epoch", Shown::kInFile, derived(epoch_slope)},
      {"fit_seconds", "s", "whole fit", Shown::kInFile, derived(fit_time)},
      {"samples_per_second", "samples/s", "samples/s", Shown::kInTable, derived(samples_per_second)},
      {"tokens_per_second", "samples/s", "tokens/s", Shown::kInTableWhereUnusual, derived(tokens_per_second)},
  };
}

Rows learning_rows() {
  return {
      {"accuracy", "fraction", "accuracy", Shown::kInTable, of_test("accuracy")},
      {"perplexity", "", "perplexity", Shown::kInTableWhereUnusual, derived(perplexity)},
      {"elbo", "", "ELBO", Shown::kInTableWhereUnusual, derived(elbo)},
      {"discriminator_loss", "", "D loss", Shown::kInTableWhereUnusual, of_test("discriminator_loss")},
      {"generator_loss", "", "G loss", Shown::kInTableWhereUnusual, of_test("generator_loss")},
      {"final_loss", "", "last training loss", Shown::kInFile, derived(final_loss)},
      {"training", "", "training, an epoch each", Shown::kInFile, member(&C::training)},
      {"validation_seconds", "s", "validation", Shown::kInFile, member(&C::validation_seconds)},
      {"validation_history", "", "validation, an epoch each", Shown::kInFile, member(&C::validation_history)},
      {"validation", "", "validation", Shown::kInFile, member(&C::validation)},
      {"test", "", "test", Shown::kInFile, member(&C::test)},
  };
}

Rows process_rows() {
  return {
      {"process_seconds", "s", "whole process", Shown::kInFile, member(&C::process)},
      {"trained_steps", "", "steps made", Shown::kInFile, member(&C::trained_steps)},
      {"trained_samples", "", "samples seen", Shown::kInFile, member(&C::trained_samples)},
      {"initial_loss", "", "loss before training", Shown::kInFile, member(&C::initial_loss)},
      {"parameter_checksum", "", "SHA-256 of the parameters", Shown::kInFile, member(&C::parameter_checksum)},
  };
}

Rows make_case_fields() {
  Rows all;
  for (const auto& make : {plan_rows, content_rows, outcome_rows, statistics_rows, learning_rows,
                           process_rows, memory_rows, energy_rows, utilization_rows}) {
    for (Field<CaseRecord>& row : make()) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::span<const Field<CaseRecord>> case_fields() {
  static const Rows fields = make_case_fields();
  return fields;
}

std::span<const Field<Phase>> phase_fields() {
  using P = Phase;
  static const std::vector<Field<P>> fields = {
      {"name", "", "phase", Shown::kInFile, member(&P::name)},
      {"start_seconds", "s", "start", Shown::kInFile, member(&P::start)},
      {"duration_seconds", "s", "duration", Shown::kInFile, member(&P::duration)},
  };
  return fields;
}

}  // namespace gpubench
