#include "gpubench/record/parameter.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using C = CaseRecord;

Access<Warning> warning_figure() {
  Access<Warning> figure{[](const Warning& warning) {
                           return warning.figure ? FieldValue(*warning.figure)
                                                 : missing("there is none of this warning");
                         },
                         [](Warning& warning, const FieldValue& value) {
                           warning.figure.reset();
                           if (!std::holds_alternative<Missing>(value))
                             assign(warning.figure.emplace(), value);
                         },
                         {Kind::kNumber}};
  return std::move(figure).or_absent();
}

/// Neither parameters nor figures.
std::vector<Field<C>> measured_fields() {
  return std::vector<Field<C>>({
      {"synthetic", "", "synthetic data", "Whether the data is made up, of the same shape.",
       member(&C::is_synthetic)},
      {"sample_unit", "", "counted", "What is counted, such as `image`, `pair` or `token`.",
       member(&C::item).own_word().always()},
      {"tokens_per_sample", "", "tokens a sample", "Tokens of a sequence; 0 for other samples.",
       member(&C::tokens_per_sample).optional()},
      {"execution_used", "", "execution used", "How the operations of a step reached the device.",
       member(&C::execution_used).one_of({"eager", "graph"}).in("modes")},
      {"execution_note", "", "why", "Why so; empty where there is nothing to say.",
       member(&C::execution_note).optional()},
      {"layout_used", "", "layout used", "How the channels of images lay in memory.",
       member(&C::layout_used).one_of({"nchw", "channels-last"}).in("modes")},
      {"layout_note", "", "why", "Why so; empty where there is nothing to say.",
       member(&C::layout_note).optional()},
      {"optimizer", "", "optimizer", "Recipe, and how it was run.", member(&C::optimizer).own_word()},
      {"train_samples", "", "samples an epoch", "Samples seen in an epoch.", member(&C::train_samples)},
      {"steps_per_epoch", "", "steps an epoch", "Steps of an epoch.", member(&C::steps_per_epoch)},
      {"last_batch_dropped", "", "last batch dropped", "Whether that step was left out.",
       member(&C::is_last_batch_dropped).optional()},
      {"validation_samples", "", "samples validated on", "Samples that `validation` is measured on.",
       member(&C::validation_samples).optional()},
      {"test_samples", "", "samples tested on", "Samples that `test` is measured on.",
       member(&C::test_samples).optional()},
      {"parameters", "", "parameters", "Trainable parameters.", member(&C::parameters)},
      {"forward_macs", "MAC", "forward MAC a sample", "Multiply-accumulates of a sample's forward pass.",
       member(&C::forward_macs)},
      {"workload", "", "workload", "Kind of work: `train`.",
       derived<C>([](const C&) { return std::string("train"); }).one_of({"train"}).always().direct()},
      {"status", "", "status", kInTable, "How it ended, see below.",
       named<C>(std::mem_fn(&C::status), {"ok", "oom", "unsupported", "error", "diverged", "timeout",
                                          "crashed", "skipped", "interrupted", "invalid"})
           .always()
           .direct()},
      {"skip_rule", "", "why skipped", "Rule by which it was skipped, such as `after-oom` or `budget`.",
       member(&C::skip_rule).own_word().direct().optional()},
      {"requested_bytes", "B", "memory asked for", "Where memory ran out: how much was asked for.",
       member(&C::requested).in("shortage").direct().optional()},
      {"available_bytes", "B", "memory free then", "How much was free then.",
       member(&C::available).in("shortage").direct().optional()},
      {"started_at", "", "started", "UTC, with milliseconds.",
       member(&C::started_at)
           .like("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$")
           .own_word()
           .in("start")},
      {"clock_start_seconds", "s", "started, on the machine's clock", "Monotonic clock at `started_at`.",
       member(&C::clock_start).of_any_sign().in("start")},
      {"timeline", "", "timeline", "What the case did, in order, since `started_at`.", member(&C::timeline)},
      {"epoch_seconds", "s", "epochs", "Every epoch that ran, in order, the warm-up included, training only.",
       member(&C::epoch_seconds)},
      {"blocks_per_epoch", "", "blocks an epoch",
       "Blocks of steps with time stamps; null where the device gives none.",
       member(&C::blocks_per_epoch).at_least(1).in("blocks")},
      {"block_steps", "", "steps of a block", "Steps of each block of an epoch, in order.",
       member(&C::block_steps).at_least(1).optional()},
      {"block_seconds", "s", "blocks", "Blocks of the last 1,000 epochs, epoch by epoch, warm-up included.",
       member(&C::block_seconds).optional()},
      {"stopped_by", "", "why no further epoch",
       "`epochs`, `target-ci`, `max-epochs`, `deadline`, `interrupted` or `loss-not-finite`.",
       member(&C::stopped_by).own_word()},
      {"setup_seconds", "s", "set-up",
       "Build of the model and the optimiser, transfer of the data to the device.", member(&C::setup)},
      {"training", "", "training, an epoch each", "Figures of the training samples.", member(&C::training)},
      {"validation_seconds", "s", "validation", "The validation after each epoch; protocol `fit` only.",
       member(&C::validation_seconds).optional()},
      {"validation_history", "", "validation, an epoch each",
       "Figures of the validation set; protocol `fit` only.", member(&C::validation_history).optional()},
      {"validation", "", "validation", "Figures of the validation set after the last epoch, untimed.",
       member(&C::validation).in("evaluation").optional()},
      {"test", "", "test", "Figures over the test set, likewise.", member(&C::test).in("evaluation")},
      {"process_seconds", "s", "whole process", "Life of the case's process, start of LibTorch included.",
       member(&C::process).in("process")},
      {"process_start_seconds", "s", "process start", "Until LibTorch and the device were ready.",
       member(&C::process_start).in("process").optional()},
      {"trained_steps", "", "steps made", "Steps really made, over all epochs.", member(&C::trained_steps)},
      {"trained_samples", "", "samples seen", "Samples really seen, over all epochs.",
       member(&C::trained_samples)},
      {"initial_loss", "", "loss before training", "Mean loss over the first batch, before the first update.",
       member(&C::initial_loss)},
      {"parameter_checksum", "", "SHA-256 of the parameters", "SHA-256 of the final parameters as floats.",
       member(&C::parameter_checksum).like("^[0-9a-f]{64}$").own_word()},
      {"peak_host_bytes", "B", "most host memory", "Largest resident set of the case's process.",
       member(&C::peak_host).in("memory")},
      {"peak_device_bytes", "B", "most device memory", "Most memory that tensors held on the device at once.",
       member(&C::peak_device).in("memory")},
      {"peak_reserved_bytes", "B", "most memory reserved",
       "Most memory that LibTorch's allocator took from the device.", member(&C::peak_reserved).in("memory")},
      {"device_in_use_bytes", "B", "device memory in use", "Memory in use by all processes at the end.",
       member(&C::device_in_use).in("memory")},
      {"epoch_host_bytes", "B", "host memory, an epoch each", "Resident set of the process after each epoch.",
       member(&C::epoch_host_bytes)},
      {"epoch_device_bytes", "B", "device memory, an epoch each",
       "Memory held by tensors on the device after each epoch.", member(&C::epoch_device_bytes).optional()},
      {"energy_note", "", "why no energy", "Why no source of power was read; empty where one was.",
       member(&C::energy_note).optional()},
      {"train_flop_per_sample", "FLOP", "FLOP a sample", "Forward and backward pass of one sample.",
       member(&C::train_flop_per_sample).in("step")},
      {"operations_per_step", "", "operations a step", "Operations that do work, optimizer included.",
       member(&C::operations_per_step).at_least(0).in("step")},
      {"traffic_per_step_bytes", "B", "memory traffic a step", "What these read and write if no cache helps.",
       member(&C::traffic_per_step).in("step")},
      {"input_wait_seconds", "s", "waiting for input, an epoch each", "Wait for batches; loader `host` only.",
       member(&C::input_wait_seconds).optional()},
      {"profile_phase_seconds", "s", "a step by phase", "Time of `input`, `forward`, `backward`, ...",
       member(&C::profile_phases).in("profile").optional()},
      {"profile_layer_seconds", "s", "a step by kind of layer", "Likewise: `convolution`, ...",
       member(&C::profile_layers).in("profile").optional()},
      {"backend", "", "exchange by", "What carries gradients between ranks: `gloo` or `nccl`.",
       member(&C::backend).one_of({"gloo", "nccl"}).in("ranks").optional()},
      {"gradient_per_step_bytes", "B", "exchanged a step",
       "Bytes of gradients that each rank sends in a step.",
       member(&C::gradient_bytes_per_step).in("ranks").optional()},
      {"communication_seconds", "s", "waiting for exchanges, an epoch each",
       "Wait for exchanges where it was shortest.", member(&C::communication_seconds).optional()},
      {"imbalance", "fraction", "imbalance, an epoch each",
       "Busiest rank's time without waits above the mean.", member(&C::imbalance).optional()},
      {"rank_busy_seconds", "s", "busy time by rank", "Epochs less waits, warm-up included.",
       member(&C::rank_busy_seconds).optional()},
  });
}

}  // namespace

std::vector<Field<RowRecord>> row_fields() {
  using R = RowRecord;
  return std::vector<Field<R>>({
      {"status_message", "", "status message", "What happened, where the status is not `ok`.",
       or_none(&R::status_reason, "the row ended well").direct().optional()},
      {"stderr_tail", "", "last words", "What the process last wrote to stderr, where it did not end well.",
       member(&R::stderr_tail).direct().optional()},
      {"warnings", "", "warnings", "What else went on on the machine: load, power, heat, sleep.",
       member(&R::warnings).direct()},
      {"peak_flops_per_second", "FLOP/s", "peak",
       "Best product or convolution in this precision or type, or best row.",
       member(&R::peak_flops_per_second).in("peak")},
      {"peak_source", "", "peak from", "`measured` by a trial or `gpubench peak`, or the rate of a `row`.",
       member(&R::peak_source).one_of(known_names<PeakSource>()).in("peak").optional()},
      {"peak_bytes_per_second", "B/s", "peak bandwidth", "Memory bandwidth of the device.",
       member(&R::peak_bytes_per_second).in("peak")},
      {"operation_latency_seconds", "s", "least time of an operation",
       "Least time of an operation in this mode of execution.", member(&R::operation_latency).in("peak")},
  });
}

const FieldTable<CaseRecord>& case_fields() {
  static const FieldTable<C> fields(
      make_row_table(train_parameters(), {measured_fields(), time_figures(), quality_figures(),
                                          energy_figures(), utilization_figures(), rank_figures()}));
  return fields;
}

const FieldTable<Phase>& phase_fields() {
  using P = Phase;
  static const FieldTable<P> fields({
      {"name", "", "phase", "`build`, `transfer`, `epoch 1`, `validation 1`, ...",
       member(&P::name).at_least(1)},
      {"start_seconds", "s", "start", "Since `started_at` of the case.", member(&P::start)},
      {"duration_seconds", "s", "duration", "How long it took.", member(&P::duration)},
  });
  return fields;
}

const FieldTable<Warning>& warning_fields() {
  using W = Warning;
  static const FieldTable<W> fields({
      {"kind", "", "kind", "Alike for one cause: `sleep`.", member(&W::kind).at_least(1).own_word()},
      {"figure", "", "figure", "How bad, in a unit of the kind's: the larger the worse.",
       warning_figure().optional()},
      {"text", "", "text", "A sentence for people, with the figure.", member(&W::text)},
  });
  return fields;
}

}  // namespace gpubench
