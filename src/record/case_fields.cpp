#include "gpubench/record/derived.h"
#include "gpubench/record/train_parameters.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using C = CaseRecord;
using Cases = Access<C>;

/// A derived field that is one figure of what `whole` gives: `figure(epoch_interval, &Interval::low)`.
template <class Whole, class Figure>
Cases figure(Measured<Whole> (*whole)(const C&), Figure of) {
  return derived<C>([whole, of](const C& record) { return whole(record).then(of); });
}

Cases summary(double Summary::*pointer) { return figure(epoch_summary, pointer); }

Measured<double> median_halfwidth(const C& record) {
  return epoch_summary(record).then(
      [&](const Summary& summary) { return halfwidth(epoch_interval(record), summary.median); });
}

/// A figure of the model on the test split.
Cases of_test(const std::string& name) {
  return derived<C>([name](const C& record) { return find_value(record.test, name); });
}

/// Why there is none is said in a field of its own.
Measured<CaseEnergy> told_energy(const C& record) {
  if (record.energy.empty() && !record.energy_note.empty()) return missing("see energy_note");
  return case_energy(record);
}

/// A figure of the energy that stands for the case.
template <class Figure>
Cases of_energy(Figure of) {
  return figure(told_energy, of);
}

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

/// Those that are no parameters.
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
      {"status_message", "", "status message", "What happened, where it is not `ok`.",
       or_none<C>(&C::status_reason, "the case ended well").direct().optional()},
      {"skip_rule", "", "why skipped", "Rule by which it was skipped, such as `after-oom` or `budget`.",
       member(&C::skip_rule).own_word().direct().optional()},
      {"requested_bytes", "B", "memory asked for", "Where memory ran out: how much was asked for.",
       member(&C::requested).in("shortage").direct().optional()},
      {"available_bytes", "B", "memory free then", "How much was free then.",
       member(&C::available).in("shortage").direct().optional()},
      {"stderr_tail", "", "last words", "What the process last wrote to stderr, where it did not end well.",
       member<C>(&C::stderr_tail).direct().optional()},
      {"warnings", "", "warnings", "What else went on on the machine: load, power, heat, sleep.",
       member<C>(&C::warnings).direct()},
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
      {"startup_seconds", "s", "start-up", kInTable,
       "T0 of T(n) = T0 + n t: set-up, and what the first epoch took beyond the median one.",
       derived<C>(startup).in("statistics")},
      {"first_epoch_seconds", "s", "epoch 1", "The first epoch.", derived<C>(first_epoch).in("statistics")},
      {"median_epoch_seconds", "s", "epoch", kInTable,
       "Of the epochs after the warm-up, as all figures down to `is_stationary`.",
       summary(&Summary::median).in("statistics")},
      {"epoch_cv", "fraction", "sd", kInTable,
       "Coefficient of variation: standard deviation of the epochs as a part of their mean.",
       derived<C>(epoch_cv).in("statistics")},
      {"median_epoch_rel_ci95", "fraction", "±", kInTable,
       "Half the 95 % interval of the median as a part of it, for this process in the long run; another "
       "process differs. Null for fewer than 3 epochs whose blocks have no times.",
       derived<C>(median_halfwidth).in("statistics")},
      {"outlier_epochs", "", "outliers",
       "Epochs, numbered from 1, that lie far from the others; they stay in every statistic.",
       derived<C>(outlier_epochs).at_least(1).optional()},
      {"is_stationary", "", "steady",
       "Whether the epochs after the warm-up neither fall nor rise, by their blocks; null where they are too "
       "few to tell: a single one, or four without blocks.",
       derived<C>(is_steady)},
      {"p50_step_seconds", "s", "step p50",
       "Half of the steps take no longer: median over the blocks of the epochs after the warm-up, of a "
       "block's `block_seconds` by its `block_steps`.",
       derived<C>([](const C& record) { return step_quantile(record, 0.5); }).in("blocks").optional()},
      {"p99_step_seconds", "s", "step p99",
       "99 in 100 steps take no longer, likewise: of steps averaged over their block; of fewer than 100 "
       "blocks, close to the slowest of them.",
       derived<C>([](const C& record) { return step_quantile(record, 0.99); }).in("blocks").optional()},
      {"fit_seconds", "s", "whole fit",
       "Set-up, all epochs and the validation after each; protocol `fit` only.",
       derived<C>(fit_time).optional()},
      {"samples_per_second", "samples/s", "samples/s", kInTable, "Throughput, from the median epoch.",
       derived<C>(samples_per_second)},
      {"tokens_per_second", "tokens/s", "tokens/s", kWhereUnusual,
       "Throughput of a language model: `samples_per_second * tokens_per_sample`.",
       derived<C>(tokens_per_second).in("sequences").optional()},
      {"accuracy", "fraction", "accuracy", kInTable,
       "Of the test set, after the last epoch; the same as `test.accuracy`.",
       of_test("accuracy").at_most(1).in("evaluation")},
      {"perplexity", "", "perplexity", kWhereUnusual,
       "Of a language model: exp of the mean loss of a token of the test set.",
       derived<C>(perplexity).at_least(1).in("sequences").optional()},
      {"elbo", "", "ELBO", kWhereUnusual,
       "Of a variational autoencoder: the evidence lower bound on the test set, in nats a sample.",
       derived<C>(elbo).in("evaluation").optional()},
      {"discriminator_loss", "", "D loss", kWhereUnusual, "Of a GAN, on the test set.",
       of_test("discriminator_loss").in("evaluation").optional()},
      {"generator_loss", "", "G loss", kWhereUnusual, "Of a GAN, on the test set.",
       of_test("generator_loss").in("evaluation").optional()},
      {"final_loss", "", "last training loss", "Loss of the last epoch over the training samples.",
       derived<C>(final_loss)},
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
      {"energy_scope", "", "energy of",
       "What the energy of the case includes: that of its device's own source, else of what contains it.",
       of_energy([](const CaseEnergy& energy) { return to_string(energy.scope); })
           .one_of(known_names<PowerScope>())
           .in("energy")
           .optional()},
      {"mean_epoch_joules", "J", "epoch energy", kWhereUnusual,
       "Gross energy of a mean epoch after the warm-up.",
       of_energy(&CaseEnergy::epoch_joules).in("energy").optional()},
      {"net_epoch_joules", "J", "net of idle",
       "The same less idle power, the mean of before and after, times its time. Null where it is less than "
       "half of what these two differ by, times its time.",
       of_energy(&CaseEnergy::net_joules).in("energy").optional()},
      {"joules_per_1000_samples", "J", "per 1,000 samples", "Gross.",
       derived<C>([](const C& record) {
         return told_energy(record).then([&](const CaseEnergy&) { return joules_per_1000_samples(record); });
       })
           .in("energy")
           .optional()},
      {"mean_watts", "W", "mean power", kWhereUnusual, "Over the epochs after the warm-up.",
       of_energy(&CaseEnergy::mean_watts).in("energy").optional()},
      {"peak_watts", "W", "peak power", "Highest power in them.",
       of_energy(&CaseEnergy::peak_watts).in("energy").optional()},
      {"sustained_share", "fraction", "kept", kWhereUnusual,
       "Median speed of the last half of the epochs after the warm-up as a part of that of the epochs in "
       "their first minute; null for less than two minutes.",
       figure(sustained_speed, &SustainedSpeed::kept).optional()},
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
      {"peak_flops_per_second", "FLOP/s", "peak",
       "Best product or convolution on the device in this precision, or the best rate of a row where that is "
       "higher.",
       member<C>(&C::peak_flops_per_second).in("peak")},
      {"peak_source", "", "peak from", kPeakSourceHelp,
       member<C>(&C::peak_source).one_of(known_names<PeakSource>()).in("peak").optional()},
      {"peak_bytes_per_second", "B/s", "peak bandwidth", "Memory bandwidth of the device.",
       member<C>(&C::peak_bytes_per_second).in("peak")},
      {"operation_latency_seconds", "s", "least time of an operation",
       "Least time of an operation in this mode of execution.", member<C>(&C::operation_latency).in("peak")},
      {"flops_per_second", "FLOP/s", "FLOP/s", "`train_flop_per_sample` times `samples_per_second`.",
       derived<C>(flops_per_second).in("utilization")},
      {"mfu", "fraction", "MFU", kInTable,
       "That as a part of the peak, which is the least time that arithmetic needs as a part of the median "
       "epoch.",
       derived<C>(mfu).in("utilization")},
      {"memory_share", "fraction", "memory",
       "Least time that memory traffic needs, as a part of the median epoch; null for what caches hold. See "
       "[utilization.md](../docs/utilization.md).",
       derived<C>(memory_share).in("utilization")},
      {"launch_share", "fraction", "launches", "Least time that operations need, likewise.",
       derived<C>(launch_share).in("utilization")},
      {"input_share", "fraction", "waiting for input",
       "Median wait for batches as a part of an epoch; loader `host` only.",
       derived<C>(input_share).optional()},
      {"bottleneck", "", "limited by", kInTable,
       "What most of the time goes into; `none` where no share explains half of it.",
       derived<C>(bottleneck)
           .one_of({"compute", "memory", "launch", "input", "exchange", "none"})
           .in("utilization")},
      {"unexplained_share", "fraction", "unexplained",
       "Part of the time that neither the largest share nor waiting explains.",
       derived<C>(unexplained_share).in("utilization")},
      {"likely_cause", "", "likely cause", "Where `bound` is `none`: what most likely takes that part.",
       derived<C>(likely_cause)
           .one_of({"other-processes", "hypervisor", "cpu-quota", "too-many-threads", "input", "exchange",
                    "launch", "caches", "kernels"})
           .optional()},
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
      {"communication_share", "fraction", "exchange", kWhereUnusual,
       "That as a part of the epoch: median over the epochs after the warm-up.",
       derived<C>(communication_share).in("exchange").optional()},
      {"imbalance", "fraction", "imbalance, an epoch each",
       "Of each epoch: by how much the busiest rank's time, less what it waited, is above the mean of all.",
       member(&C::imbalance).optional()},
      {"median_imbalance", "fraction", "imbalance", kWhereUnusual,
       "Median of these over the epochs after the warm-up.",
       derived<C>(median_imbalance).in("exchange").optional()},
      {"rank_busy_seconds", "s", "busy time by rank",
       "Of each rank, from 0: its epochs, the warm-up included, less what it waited.",
       member(&C::rank_busy_seconds).optional()},
  });
}

}  // namespace

const FieldTable<CaseRecord>& case_fields() {
  static const FieldTable<C> fields(with_parameters<C>(train_parameters(), measured_fields()));
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
