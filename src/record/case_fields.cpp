#include "gpubench/record/parameter.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using C = CaseRecord;

/// Returns all fields except parameters and figures.
std::vector<Field<C>> measured_fields() {
  return std::vector<Field<C>>({
      {"synthetic", "", "synthetic data", "True for synthetic data.", member(&C::is_synthetic)},
      {"sample_unit", "", "sample unit", "Unit of samples: `image`, `pair`, `token`, ...",
       member(&C::item).own_word().always()},
      {"tokens_per_sample", "", "tokens per sample", "Tokens per sequence; 0 for other samples.",
       member(&C::tokens_per_sample).optional()},
      {"execution_used", "", "execution used", "Resolved execution: `eager` or `graph`.",
       member(&C::execution_used).one_of({"eager", "graph"}).in("modes")},
      {"execution_note", "", "execution note", "Reason for the execution; may be empty.",
       member(&C::execution_note).optional()},
      {"layout_used", "", "layout used", "Resolved memory format of images.",
       member(&C::layout_used).one_of({"nchw", "channels-last"}).in("modes")},
      {"layout_note", "", "layout note", "Reason for the layout; may be empty.",
       member(&C::layout_note).optional()},
      {"optimizer", "", "optimizer", "Optimizer recipe and implementation.",
       member(&C::optimizer).own_word()},
      {"train_samples", "", "samples per epoch", "Training samples per epoch.", member(&C::train_samples)},
      {"steps_per_epoch", "", "steps per epoch", "Optimizer steps per epoch.", member(&C::steps_per_epoch)},
      {"last_batch_dropped", "", "last batch dropped", "True if the incomplete last batch is skipped.",
       member(&C::is_last_batch_dropped).optional()},
      {"validation_samples", "", "validation samples", "Number of validation samples.",
       member(&C::validation_samples).optional()},
      {"test_samples", "", "test samples", "Number of test samples.", member(&C::test_samples).optional()},
      {"parameters", "", "parameters", "Number of trainable parameters.", member(&C::parameters)},
      {"forward_macs", "MAC", "forward MACs per sample", "Multiply-accumulates per sample in a forward pass.",
       member(&C::forward_macs)},
      {"status", "", "status", kInTable, "Status; see [timing.md](timing.md).",
       member_by<C>(std::mem_fn(&C::status))
           .one_of({"ok", "oom", "unsupported", "error", "diverged", "timeout", "crashed", "skipped",
                    "interrupted", "invalid"})
           .always()
           .direct()},
      {"skip_rule", "", "skip rule", "Rule that skipped the case, such as `after-oom`.",
       member(&C::skip_rule).own_word().direct().optional()},
      {"requested_bytes", "B", "requested memory", "Size of the allocation that failed.",
       member(&C::requested).in("shortage").direct().optional()},
      {"available_bytes", "B", "available memory", "Free memory at the failed allocation.",
       member(&C::available).in("shortage").direct().optional()},
      {"started_at", "", "started", "Start of the case, UTC with milliseconds.",
       member(&C::started_at)
           .like("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$")
           .own_word()
           .in("start")},
      {"clock_start_seconds", "s", "clock at start", "Monotonic clock of the machine at `started_at`.",
       member(&C::clock_start).of_any_sign().in("start")},
      {"timeline", "", "timeline", "Phases of the case, in order.", member(&C::timeline)},
      {"epoch_seconds", "s", "epochs", "Training time of each epoch, warm-up included.",
       member(&C::epoch_seconds)},
      {"blocks_per_epoch", "", "blocks per epoch",
       "Timed blocks of steps per epoch; null without time stamps.",
       member(&C::blocks_per_epoch).at_least(1).in("blocks")},
      {"block_steps", "", "steps per block", "Steps of each block of an epoch.",
       member(&C::block_steps).at_least(1).optional()},
      {"block_seconds", "s", "blocks", "Block times of the last 1,000 epochs, in order.",
       member(&C::block_seconds).optional()},
      {"stopped_by", "", "stopped by",
       "Stopping criterion: `epochs`, `target-ci`, `max-epochs`, `deadline`, `interrupted`, "
       "`loss-not-finite`.",
       member(&C::stopped_by).own_word()},
      {"setup_seconds", "s", "set-up", "Time to build model and optimizer and copy data.", member(&C::setup)},
      {"training", "", "training metrics", "Training metrics of each epoch.", member(&C::training)},
      {"validation_seconds", "s", "validation time", "Validation time of each epoch; protocol `fit`.",
       member(&C::validation_seconds).optional()},
      {"validation_history", "", "validation metrics", "Validation metrics of each epoch; protocol `fit`.",
       member(&C::validation_history).optional()},
      {"validation", "", "validation", "Validation metrics after the last epoch.",
       member(&C::validation).in("evaluation").optional()},
      {"test", "", "test", "Test metrics after the last epoch.", member(&C::test).in("evaluation")},
      {"process_seconds", "s", "process time", "Lifetime of the process, start of LibTorch included.",
       member(&C::process).in("process")},
      {"process_start_seconds", "s", "process start", "Time from process start until the device is ready.",
       member(&C::process_start).in("process").optional()},
      {"trained_steps", "", "steps trained", "Optimizer steps executed in all epochs.",
       member(&C::trained_steps)},
      {"trained_samples", "", "samples trained", "Samples trained on in all epochs.",
       member(&C::trained_samples)},
      {"initial_loss", "", "initial loss", "Loss of the first batch before training.",
       member(&C::initial_loss)},
      {"parameter_checksum", "", "SHA-256 of the parameters", "SHA-256 of the final parameters as floats.",
       member(&C::parameter_checksum).like("^[0-9a-f]{64}$").own_word()},
      {"peak_host_bytes", "B", "peak host memory", "Peak resident set size of the process.",
       member(&C::peak_host).in("memory")},
      {"peak_device_bytes", "B", "peak device memory", "Peak memory of tensors on the device.",
       member(&C::peak_device).in("memory")},
      {"peak_reserved_bytes", "B", "peak reserved memory",
       "Peak memory of LibTorch's allocator on the device.", member(&C::peak_reserved).in("memory")},
      {"device_in_use_bytes", "B", "device memory in use", "Device memory of all processes at the end.",
       member(&C::device_in_use).in("memory")},
      {"epoch_host_bytes", "B", "host memory by epoch", "Resident set size after each epoch.",
       member(&C::epoch_host_bytes)},
      {"epoch_device_bytes", "B", "device memory by epoch", "Device memory of tensors after each epoch.",
       member(&C::epoch_device_bytes).optional()},
      {"energy_note", "", "energy note", "Reason for missing energy; else empty.",
       member(&C::energy_note).optional()},
      {"train_flop_per_sample", "FLOP", "FLOP per sample", "FLOP per sample, forward and backward pass.",
       member(&C::train_flop_per_sample).in("step")},
      {"operations_per_step", "", "operations per step", "Operations per step, optimizer included.",
       member(&C::operations_per_step).at_least(0).in("step")},
      {"traffic_per_step_bytes", "B", "memory traffic per step",
       "Bytes read and written per step without caches.", member(&C::traffic_per_step).in("step")},
      {"input_wait_seconds", "s", "input wait by epoch", "Wait for batches in each epoch; loader `host`.",
       member(&C::input_wait_seconds).optional()},
      {"profile_phase_seconds", "s", "step time by phase",
       "Step time by phase: `input`, `forward`, `backward`, ...",
       member(&C::profile_phases).in("profile").optional()},
      {"profile_layer_seconds", "s", "step time by kind of layer",
       "Step time by kind of layer: `convolution`, ...", member(&C::profile_layers).in("profile").optional()},
      {"backend", "", "backend", "Communication backend: `gloo` or `nccl`.",
       member(&C::backend).one_of({"gloo", "nccl"}).in("ranks").optional()},
      {"gradient_per_step_bytes", "B", "gradients per step", "Gradient bytes sent per rank and step.",
       member(&C::gradient_bytes_per_step).in("ranks").optional()},
      {"communication_seconds", "s", "exchange wait by epoch",
       "Shortest wait of any rank for exchanges, each epoch.", member(&C::communication_seconds).optional()},
      {"imbalance", "fraction", "imbalance by epoch", "Largest busy time over the mean, minus 1, each epoch.",
       member(&C::imbalance).optional()},
      {"rank_busy_seconds", "s", "busy time by rank", "Total busy time of each rank, without waits.",
       member(&C::rank_busy_seconds).optional()},
  });
}

}  // namespace

std::vector<Field<RowRecord>> row_fields() {
  using R = RowRecord;
  return std::vector<Field<R>>({
      {"status_message", "", "fail reason", "Reason for a status other than `ok`.",
       or_none(&R::status_reason, "the status is ok").direct().optional()},
      {"stderr_tail", "", "stderr tail", "Last lines on stderr of a failed process.",
       member(&R::stderr_tail).direct().optional()},
      {"warnings", "", "warnings", "Disturbances such as load, power, heat and sleep.",
       member(&R::warnings).direct()},
      {"peak_flops_per_second", "FLOP/s", "peak", "Peak FLOP/s in this precision or type.",
       member(&R::peak_flops_per_second).in("peak")},
      {"peak_source", "", "peak source", "Source of the peak: `measured`, or `row` (a faster row).",
       member(&R::peak_source).one_of(known_names<PeakSource>()).in("peak").optional()},
      {"peak_bytes_per_second", "B/s", "peak bandwidth", "Peak memory bandwidth of the device.",
       member(&R::peak_bytes_per_second).in("peak")},
      {"operation_latency_seconds", "s", "operation latency",
       "Minimum time of an operation in this execution mode.", member(&R::operation_latency).in("peak")},
  });
}

const FieldTable<CaseRecord>& case_fields() {
  static const FieldTable<C> fields(make_row_table(
      train_parameters(),
      {measured_fields(), training_figures(), energy_figures(), utilization_figures(), rank_figures()}));
  return fields;
}

const FieldTable<Phase>& phase_fields() {
  using P = Phase;
  static const FieldTable<P> fields({
      {"name", "", "phase", "Phase: `build`, `transfer`, `epoch 1`, `validation 1`, ...",
       member(&P::name).at_least(1)},
      {"start_seconds", "s", "start", "Start of the phase, relative to `started_at`.", member(&P::start)},
      {"duration_seconds", "s", "duration", "Duration of the phase.", member(&P::duration)},
  });
  return fields;
}

const FieldTable<Warning>& warning_fields() {
  using W = Warning;
  static const FieldTable<W> fields({
      {"kind", "", "kind", "Kind of disturbance, such as `sleep`.",
       member_by<W>([](auto& warning) -> auto& { return warning.kind.name; }).at_least(1).own_word()},
      {"figure", "", "figure", "Severity, in the unit of the kind; larger is worse.",
       or_none(&W::figure, "this kind of warning has no figure").optional()},
      {"text", "", "text", "Message with the figure.", member(&W::text)},
  });
  return fields;
}

}  // namespace gpubench
