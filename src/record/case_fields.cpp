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
      {"synthetic", "", "synthetic data",
       "Whether the data was a made-up stand-in of the same shape; its accuracy means nothing.",
       member(&C::is_synthetic)},
      {"sample_unit", "", "counted", "What is counted, such as `image`, `pair` or `token`.",
       member(&C::item).own_word().always()},
      {"tokens_per_sample", "", "tokens a sample",
       "Of a sequence, which is a sample of a language model; else 0.",
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
      {"validation_samples", "", "samples validated on",
       "Samples of the validation split that `validation`, where it is present, is measured on; 0 where "
       "there is none.",
       member(&C::validation_samples).optional()},
      {"test_samples", "", "samples tested on",
       "Samples of the test split that `test`, where it is present, is measured on; 0 where there is none.",
       member(&C::test_samples).optional()},
      {"parameters", "", "parameters", "Trainable parameters.", member(&C::parameters)},
      {"forward_macs", "MAC", "forward MAC a sample",
       "Multiply-accumulates of one forward pass of one sample; training costs about 6 FLOP for each.",
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
      {"clock_start_seconds", "s", "started, on the machine's clock",
       "The machine's monotonic clock at `started_at`, on which a raw log of power counts.",
       member(&C::clock_start).of_any_sign().in("start")},
      {"timeline", "", "timeline",
       "All that the case did, in order: `name` (`build`, `epoch 1`, ...), `start_seconds` after "
       "`started_at`, `duration_seconds`.",
       member(&C::timeline)},
      {"epoch_seconds", "s", "epochs", "Every epoch that ran, in order, the warm-up included, training only.",
       member(&C::epoch_seconds)},
      {"blocks_per_epoch", "", "blocks an epoch",
       "Blocks of steps that an epoch was divided into by time stamps: ten, or as many as it has steps; null "
       "where the device gives none.",
       member(&C::blocks_per_epoch).at_least(1).in("blocks")},
      {"block_steps", "", "steps of a block", "Steps of each block of an epoch, in order.",
       member(&C::block_steps).at_least(1).optional()},
      {"block_seconds", "s", "blocks",
       "Every block of the last 1,000 epochs (all of them, where there are no more), epoch by epoch, "
       "`blocks_per_epoch` values each, the warm-up included; the blocks of an epoch make up its time.",
       member(&C::block_seconds).optional()},
      {"stopped_by", "", "why no further epoch",
       "Why there is no further epoch: `epochs`, `target-ci` (that was reached), `max-epochs`, `deadline`, "
       "`interrupted`, `loss-not-finite`.",
       member(&C::stopped_by).own_word()},
      {"setup_seconds", "s", "set-up",
       "Build of the model and the optimiser, transfer of the data to the device.", member(&C::setup)},
      {"training", "", "training, an epoch each",
       "Figures over the training samples, a list with a value an epoch: `loss`, `accuracy`.",
       member(&C::training)},
      {"validation_seconds", "s", "validation", "The validation after each epoch; protocol `fit` only.",
       member(&C::validation_seconds).optional()},
      {"validation_history", "", "validation, an epoch each",
       "Figures over the validation set, a list with a value an epoch; protocol `fit` only.",
       member(&C::validation_history).optional()},
      {"validation", "", "validation",
       "Figures over the validation set after the last epoch, untimed; by protocol `epoch` only `test` where "
       "the dataset has both.",
       member(&C::validation).in("evaluation").optional()},
      {"test", "", "test", "Figures over the test set, likewise.", member(&C::test).in("evaluation")},
      {"process_seconds", "s", "whole process",
       "Whole life of the process of the case, the start of LibTorch included.",
       member(&C::process).in("process")},
      {"process_start_seconds", "s", "process start",
       "From the start of that process until LibTorch was loaded and the device ready, before all other "
       "figures. Where it is a copy of one that had LibTorch, the time that this took to load it included.",
       member(&C::process_start).in("process").optional()},
      {"trained_steps", "", "steps made", "Steps really made, over all epochs.", member(&C::trained_steps)},
      {"trained_samples", "", "samples seen", "Samples really seen, over all epochs.",
       member(&C::trained_samples)},
      {"initial_loss", "", "loss before training", "Mean loss over the first batch, before the first update.",
       member(&C::initial_loss)},
      {"parameter_checksum", "", "SHA-256 of the parameters",
       "SHA-256 of the final parameters, in order, as float bytes.",
       member(&C::parameter_checksum).like("^[0-9a-f]{64}$").own_word()},
      {"peak_host_bytes", "B", "most host memory", "Largest resident set of the case's process.",
       member(&C::peak_host).in("memory")},
      {"peak_device_bytes", "B", "most device memory", "Most memory that tensors held on the device at once.",
       member(&C::peak_device).in("memory")},
      {"peak_reserved_bytes", "B", "most memory reserved",
       "Most memory that LibTorch's allocator took from the device.", member(&C::peak_reserved).in("memory")},
      {"device_in_use_bytes", "B", "device memory in use",
       "What the driver saw in use at the end, other processes included.",
       member(&C::device_in_use).in("memory")},
      {"epoch_host_bytes", "B", "host memory, an epoch each", "Resident set of the process after each epoch.",
       member(&C::epoch_host_bytes)},
      {"epoch_device_bytes", "B", "device memory, an epoch each",
       "Memory held by tensors on the device after each epoch.", member(&C::epoch_device_bytes).optional()},
      {"energy_note", "", "why no energy", "Why no source of power was read; empty where one was.",
       member(&C::energy_note).optional()},
      {"train_flop_per_sample", "FLOP", "FLOP a sample",
       "Of forward and backward pass, counted on an untimed step.",
       member(&C::train_flop_per_sample).in("step")},
      {"operations_per_step", "", "operations a step",
       "Operations of a step that do work, the optimiser's included.",
       member(&C::operations_per_step).at_least(0).in("step")},
      {"traffic_per_step_bytes", "B", "memory traffic a step", "What these read and write if no cache helps.",
       member(&C::traffic_per_step).in("step")},
      {"input_wait_seconds", "s", "waiting for input, an epoch each",
       "How long each epoch waited for batches; loader `host` only.",
       member(&C::input_wait_seconds).optional()},
      {"profile_phase_seconds", "s", "a step by phase",
       "Where a step's time goes: `input`, `forward`, `backward`, `optimizer`, `other`.",
       member(&C::profile_phases).in("profile").optional()},
      {"profile_layer_seconds", "s", "a step by kind of layer",
       "The same by kind of layer: `convolution`, `matrix product`, ...",
       member(&C::profile_layers).in("profile").optional()},
      {"backend", "", "exchange by", "What carries gradients between ranks: `gloo` or `nccl`.",
       member(&C::backend).one_of({"gloo", "nccl"}).in("ranks").optional()},
      {"gradient_per_step_bytes", "B", "exchanged a step",
       "Bytes of gradients that each rank gives into the exchanges of a step.",
       member(&C::gradient_bytes_per_step).in("ranks").optional()},
      {"communication_seconds", "s", "waiting for exchanges, an epoch each",
       "Of each epoch: how long the rank that waited least had nothing to do but wait for exchanges.",
       member(&C::communication_seconds).optional()},
      {"imbalance", "fraction", "imbalance, an epoch each",
       "Of each epoch: by how much the busiest rank's time, less what it waited, is above the mean of all.",
       member(&C::imbalance).optional()},
      {"rank_busy_seconds", "s", "busy time by rank",
       "Of each rank, from 0: its epochs, the warm-up included, less what it waited.",
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
       "Best product or convolution on the device in this precision or type, or the best rate of a row where "
       "that is higher.",
       member(&R::peak_flops_per_second).in("peak")},
      {"peak_source", "", "peak from",
       "Where that is from: `measured` by a trial or `gpubench peak`; of a `row` on this machine that "
       "reached "
       "more.",
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
