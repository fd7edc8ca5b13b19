#pragma once
// What one run of gpubench measured. Plain data: raw values only; derived.h has the statistics.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/energy_record.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/names.h"
#include "gpubench/record/points.h"

namespace gpubench {

/// How a row ended. Every planned row is in the result, whatever happened to it.
enum class RowStatus {
  kOk,
  kIncorrect,    ///< Of an operation: not what fp64 on the CPU gives, or not there when the clock stopped.
  kOutOfMemory,  ///< Of the host or of the device.
  kUnsupported,  ///< The device or LibTorch lacks an operation for the row's type, or its gradient.
  kCpuFallback,  ///< Of an operation: it ran, but on another device.
  kError,
  kDiverged,     ///< The loss was not finite, or did not fall.
  kTimeout,      ///< Ended by gpubench because it took longer than --timeout.
  kCrashed,      ///< Its process ended by a signal, or without a result.
  kSkipped,      ///< Never tried: the reason says why.
  kInterrupted,  ///< The run ended before the row did, or before it began.
  kInvalid,      ///< It ran, but its figures cannot be true.
};
inline constexpr std::array kRowStatusNames{"ok",           "incorrect", "oom",         "unsupported",
                                            "cpu-fallback", "error",     "diverged",    "timeout",
                                            "crashed",      "skipped",   "interrupted", "invalid"};
constexpr EnumNames<RowStatus> enum_names(RowStatus) { return {"status", kRowStatusNames}; }

/// Where the peak of a row is from.
enum class PeakSource {
  kMeasured,  ///< A trial, or `gpubench peak`.
  kRow,       ///< A row on this machine reached more than was measured: its rate is the peak.
};
inline constexpr std::array kPeakSourceNames{"measured", "row"};
constexpr EnumNames<PeakSource> enum_names(PeakSource) { return {"source of a peak", kPeakSourceNames}; }

inline constexpr std::size_t kMostRows = 200'000;  ///< Of a document: cases, operations, checks.

/// Members of every row, of a training case or an operation.
struct RowRecord {
  RowStatus status = RowStatus::kError;
  std::string status_reason;             ///< Empty for `ok`.
  std::vector<std::string> stderr_tail;  ///< Last lines on stderr of a process that did not end well.
  std::vector<Warning> warnings;         ///< What makes its figures doubtful, or what else the machine did.

  // Peaks of the device; see docs/utilization.md.
  Measured<double> peak_flops_per_second;  ///< Best product or convolution in the row's precision or type.
  Measured<std::string> peak_source;       ///< Of that: a name of a PeakSource.
  Measured<double> peak_bytes_per_second;  ///< Of the device's memory.
  Measured<Seconds> operation_latency;     ///< Least time of an operation in this mode of execution.
};

/// A stretch of a case, on the clock of its process.
struct Phase {
  std::string name;  ///< "build", "transfer", "optimizer", "epoch 1", "validation 1", "evaluation", ...
  Seconds start;     ///< Since `started_at` of the case.
  Seconds duration;

  friend bool operator==(const Phase&, const Phase&) = default;
};

/// Name and one value an epoch, e.g. {"loss", {0.9, 0.5}}.
using NamedSeries = std::vector<std::pair<std::string, std::vector<double>>>;

/// Maximum number of epochs whose blocks a record has.
inline constexpr std::size_t kMostStampedEpochs = 1000;

/// One model trained on one dataset and device with one batch size. The point is as resolved.
struct CaseRecord : RowRecord, TrainPoint {
  // What it was made of.
  bool is_synthetic = false;
  std::string item;                      ///< Unit that throughput counts: "image", "pair", "token".
  std::int64_t tokens_per_sample = 0;    ///< Of a sequence; 0 for other samples.
  Measured<std::string> execution_used;  ///< "eager" or "graph": what `auto` became.
  std::string execution_note;            ///< Why; empty where there is nothing to say.
  Measured<std::string> layout_used;     ///< "nchw" or "channels-last".
  std::string layout_note;
  std::string optimizer;  ///< Recipe and how it runs, e.g. "adam (fused)".
  std::int64_t train_samples = 0;
  std::int64_t steps_per_epoch = 0;
  bool is_last_batch_dropped = false;
  std::int64_t validation_samples = 0;
  std::int64_t test_samples = 0;
  Measured<std::int64_t> parameters;    ///< Trainable ones.
  Measured<std::int64_t> forward_macs;  ///< Multiply-accumulates of one forward pass of one sample.

  // What happened.
  Measured<std::string> skip_rule = missing("not skipped");       ///< "after-oom", "budget".
  Measured<Bytes> requested = missing("memory did not run out");  ///< How much was asked for where it did,
  Measured<Bytes> available = missing("memory did not run out");  ///< and how much was free.
  Measured<std::string> started_at;                               ///< UTC, ISO 8601 with milliseconds.
  Measured<Seconds> clock_start;            ///< The machine's monotonic clock at `started_at`.
  std::vector<Phase> timeline;              ///< Everything that the case did, in order.
  std::vector<double> epoch_seconds;        ///< Every epoch in order, the warm-up included.
  Measured<std::int64_t> blocks_per_epoch;  ///< Blocks of steps with time stamps; absent without these.
  std::vector<std::int64_t> block_steps;    ///< Steps of each block of an epoch.
  std::vector<double> block_seconds;        ///< Blocks of the last kMostStampedEpochs epochs, epoch by epoch.
  Measured<std::string> stopped_by;         ///< Why no further epoch: "epochs", "target-ci", "deadline", ...
  Measured<Seconds> setup;  ///< Build of the model and optimiser, transfer of data to the device.
  std::vector<double> validation_seconds;  ///< Protocol fit: validation after each epoch.
  NamedSeries training;                    ///< Per epoch, over the samples of that epoch.
  NamedSeries validation_history;          ///< Protocol fit: per epoch.
  /// After the last epoch, untimed.
  Measured<NamedValues> validation = missing("protocol epoch evaluates the test split");
  Measured<NamedValues> test;       ///< After the last epoch, untimed.
  Measured<Seconds> process;        ///< Whole life of the case's process, LibTorch's start included.
  Measured<Seconds> process_start;  ///< From its start until LibTorch and the device were ready.
  Measured<Bytes> peak_host;        ///< Largest resident set of the case's process.
  Measured<Bytes> peak_device;      ///< Most memory that tensors held on the device at once.

  // Memory, beside the two peaks above.
  Measured<Bytes> peak_reserved;  ///< Most that LibTorch's allocator took from the device at once.
  Measured<Bytes> device_in_use;  ///< What the driver saw in use at the end, other processes included.
  std::vector<std::int64_t> epoch_host_bytes;    ///< Resident set after each epoch.
  std::vector<std::int64_t> epoch_device_bytes;  ///< Held by tensors after each epoch; empty on the CPU.

  // What a step costs; see docs/utilization.md.
  Measured<double> train_flop_per_sample;  ///< Of forward and backward pass, counted on an untimed step.
  Measured<double> operations_per_step;    ///< Operations that do work, the optimiser's included.
  Measured<Bytes> traffic_per_step;        ///< What these read and write if no cache helps.
  std::vector<double> input_wait_seconds;  ///< Loader host: how long each epoch waited for batches.

  // Of several ranks; see docs/ranks.md.
  Measured<std::string> backend = missing("a single rank exchanges nothing");  ///< "gloo" or "nccl".
  Measured<Bytes> gradient_bytes_per_step = missing("a single rank exchanges nothing");  ///< Of each rank.
  std::vector<double> communication_seconds;  ///< Of each epoch: the wait of the rank that waited least.
  std::vector<double> imbalance;          ///< Of each epoch: by how much the busiest rank is above the mean.
  std::vector<double> rank_busy_seconds;  ///< By rank: all epochs, less what it waited.

  // Where the time goes, with --profile: seconds of a step.
  /// "input", "forward", "backward", "optimizer", "other".
  Measured<NamedValues> profile_phases = missing("--profile was not given");
  /// "convolution", "matrix product", ...
  Measured<NamedValues> profile_layers = missing("--profile was not given");

  std::vector<EnergyRecord> energy;  ///< Of every source of power that was read; see docs/energy.md.
  std::string energy_note;           ///< Why there is none; empty where there is.

  // Proof that the work was done.
  std::int64_t trained_steps = 0;            ///< Optimiser steps really made, over all epochs.
  std::int64_t trained_samples = 0;          ///< Samples really seen, over all epochs.
  Measured<double> initial_loss;             ///< Mean over the first batch, before the first update.
  Measured<std::string> parameter_checksum;  ///< SHA-256 of the final parameters, in order, as float bytes.
};

/// An operation or a collective, timed at one size.
struct OpRecord : RowRecord, OpPoint {
  Measured<std::string> backend = missing("an operation of one process");  ///< Else "gloo" or "nccl".

  std::int64_t calls_per_sample = 0;       ///< So many that a sample is long for the clock.
  std::string clock = "host";              ///< Of call_seconds: "host", or "device": its own events.
  std::vector<double> call_seconds;        ///< Time of a call in each sample, in order.
  std::vector<double> host_call_seconds;   ///< The samples by the host's clock, where `clock` is "device".
  std::vector<double> graph_call_seconds;  ///< Of calls that the device replays from a recorded graph.

  double flop = 0;                ///< Of a call; 0 where it only moves data.
  Measured<Bytes> traffic;        ///< Of a call: what it takes read once, what it makes written once.
  Measured<Bytes> needed_host;    ///< Memory for the row and its check.
  Measured<Bytes> needed_device;  ///< Missing for the CPU.
  Measured<double> error;         ///< Largest difference from fp64, relative to the largest value.
  Measured<double> tolerance;     ///< What `error` may be.
};

/// Additions of one epoch to the row of its case, so that a crash keeps the epochs before.
struct EpochRecord {
  std::vector<Phase> phases;  ///< Of the timeline: the epoch and, protocol fit, its validation.
  Seconds duration;
  std::vector<double> block_seconds;  ///< Of its blocks; together about `duration`.
  NamedValues training;               ///< Over the samples of the epoch.
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  std::optional<Bytes> host;          ///< Resident set after it.
  std::optional<Bytes> device;        ///< Held by tensors after it.
  std::optional<Seconds> input_wait;  ///< Loader host.
  std::optional<Seconds> validation;  ///< Protocol fit, as is the next.
  NamedValues validation_figures;
  std::optional<Seconds> communication;   ///< Several ranks: the wait of the one that waited least.
  std::vector<double> rank_busy_seconds;  ///< Of each rank; empty of a single one.
};

/// Adds an epoch. Throws a data Error for other figures than those of the epochs before.
void add_epoch(CaseRecord& record, const EpochRecord& epoch);

// The two halves of add_epoch(), without the phases: an epoch counts also where its validation fails.
void add_training(CaseRecord& record, const EpochRecord& epoch);
void add_validation(CaseRecord& record, const EpochRecord& epoch);

/// How the rows were chosen and ordered.
struct PlanRecord {
  std::string kind = "training";  ///< Else "table", "matrix": operations by types, "sweep" or "net".
  std::string suite;  ///< Name of the suite, or of the set of sizes; empty where options alone made the plan.
  std::int64_t order_seed = 0;  ///< Of the shuffle of repetitions.
  Measured<Seconds> budget = missing("no budget was given");

  /// Text shared by the runs of all sides measured in alternation; their repetitions are the rounds.
  Measured<std::string> alternation = missing("the run was not measured in alternation");
  /// "A", "B", ... of these.
  Measured<std::string> side = missing("the run was not measured in alternation");

  bool has_operations() const { return kind != "training"; }
};

/// A row of any workload: as planned, as far as it got, or as it ended.
using Result = std::variant<CaseRecord, OpRecord>;

/// Returns the members that rows of all workloads have.
inline RowRecord& get_row(Result& result) {
  return std::visit([](RowRecord& row) -> RowRecord& { return row; }, result);
}
inline const RowRecord& get_row(const Result& result) {
  return std::visit([](const RowRecord& row) -> const RowRecord& { return row; }, result);
}

/// Warnings that are said once: those of one kind that differ in their figures, or those of one text.
struct WarningGroup {
  Warning worst;                  ///< The one with the largest figure.
  std::vector<std::size_t> rows;  ///< Whose warnings these are, one each.
};

/// Adds `warning` of `row` to the group it is of, or a new one.
void add_warning(const Warning& warning, std::size_t row, std::vector<WarningGroup>& groups);

/// A whole run.
struct RunRecord {
  ToolRecord tool;
  PlanRecord plan;
  Environment environment;
  // One of both is empty.
  std::vector<CaseRecord> cases;
  std::vector<OpRecord> operations;
  std::optional<PublishedRecord> published;  ///< Set where no gpubench measured the rows.

  bool has_operations() const { return !operations.empty() || plan.has_operations(); }
};

}  // namespace gpubench
