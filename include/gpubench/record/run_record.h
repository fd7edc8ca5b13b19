#pragma once
// Record of a run: raw values only. derived.h computes statistics.

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
#include "gpubench/record/warning.h"

namespace gpubench {

/// Status of a row. A result has every planned row, whatever its status.
enum class RowStatus {
  kOk,
  kIncorrect,    ///< Operation: the result differs from fp64 on the CPU, or came after the clock stopped.
  kOutOfMemory,  ///< The host or the device ran out of memory.
  kUnsupported,  ///< The device or LibTorch lacks an operation or a gradient for this type.
  kCpuFallback,  ///< Operation: it ran on another device.
  kError,
  kDiverged,     ///< The loss was not finite, or did not fall.
  kTimeout,      ///< The row exceeded --timeout.
  kCrashed,      ///< The process ended by a signal or without a result.
  kSkipped,      ///< A skip rule applied, or the budget was used up.
  kInterrupted,  ///< The run stopped before the end of the row.
  kInvalid,      ///< The figures are implausible.
};
inline constexpr std::array kRowStatusNames{"ok",           "incorrect", "oom",         "unsupported",
                                            "cpu-fallback", "error",     "diverged",    "timeout",
                                            "crashed",      "skipped",   "interrupted", "invalid"};
constexpr EnumNames<RowStatus> enum_names(RowStatus) { return {"status", kRowStatusNames}; }

enum class PeakSource {
  kMeasured,  ///< A trial or `gpubench peak`.
  kRow,       ///< A row on this machine that was faster than the measured peak.
};
inline constexpr std::array kPeakSourceNames{"measured", "row"};
constexpr EnumNames<PeakSource> enum_names(PeakSource) { return {"source of a peak", kPeakSourceNames}; }

inline constexpr std::size_t kMostRows = 200'000;  ///< Maximum number of rows in a document.

/// Members common to rows of training cases and operations.
struct RowRecord {
  RowStatus status = RowStatus::kError;
  std::string status_reason;             ///< Reason for the status; empty for `ok`.
  std::vector<std::string> stderr_tail;  ///< Last lines on stderr of a failed process.
  std::vector<Warning> warnings;         ///< Disturbances and doubts about the figures.

  // Peaks of the device; see docs/timing.md.
  Measured<double> peak_flops_per_second;  ///< Best product or convolution in the row's precision or type.
  Measured<std::string> peak_source;       ///< Name of the PeakSource of `peak_flops_per_second`.
  Measured<double> peak_bytes_per_second;  ///< Memory bandwidth of the device.
  Measured<Seconds> operation_latency;     ///< Minimum time of an operation in this execution mode.
};

struct Phase {
  std::string name;  ///< "build", "transfer", "optimizer", "epoch 1", "validation 1", "evaluation", ...
  Seconds start;     ///< Time since `started_at` of the case.
  Seconds duration;

  friend bool operator==(const Phase&, const Phase&) = default;
};

/// Name and one value per epoch, e.g. {"loss", {0.9, 0.5}}.
using NamedSeries = std::vector<std::pair<std::string, std::vector<double>>>;

/// Maximum number of epochs with block times in a record.
inline constexpr std::size_t kMostStampedEpochs = 1000;

/// A training case, with its resolved parameters.
struct CaseRecord : RowRecord, TrainPoint {
  // Facts.
  bool is_synthetic = false;
  std::string item;                      ///< Unit of samples: "image", "pair", "token".
  std::int64_t tokens_per_sample = 0;    ///< Tokens per sequence; 0 for other samples.
  Measured<std::string> execution_used;  ///< Resolved execution: "eager" or "graph".
  std::string execution_note;            ///< Reason for `execution_used`; empty if none.
  Measured<std::string> layout_used;     ///< Resolved layout: "nchw" or "channels-last".
  std::string layout_note;               ///< Reason for `layout_used`; empty if none.
  std::string optimizer;                 ///< Recipe and implementation, e.g. "adam (fused)".
  std::int64_t train_samples = 0;
  std::int64_t steps_per_epoch = 0;
  bool is_last_batch_dropped = false;
  std::int64_t validation_samples = 0;
  std::int64_t test_samples = 0;
  Measured<std::int64_t> parameters;    ///< Number of trainable parameters.
  Measured<std::int64_t> forward_macs;  ///< Multiply-accumulates per sample in a forward pass.

  // Execution.
  Measured<std::string> skip_rule = missing("not skipped");       ///< "after-oom", "budget", ...
  Measured<Bytes> requested = missing("memory did not run out");  ///< Size of the failed allocation.
  Measured<Bytes> available = missing("memory did not run out");  ///< Free memory at the failed allocation.
  Measured<std::string> started_at;                               ///< UTC, ISO 8601 with milliseconds.
  Measured<Seconds> clock_start;            ///< Monotonic clock of the machine at `started_at`.
  std::vector<Phase> timeline;              ///< Phases of the case, in order.
  std::vector<double> epoch_seconds;        ///< Time of each epoch, warm-up included.
  Measured<std::int64_t> blocks_per_epoch;  ///< Time-stamped blocks of steps; missing without time stamps.
  std::vector<std::int64_t> block_steps;    ///< Steps in each block of an epoch.
  std::vector<double> block_seconds;        ///< Blocks of the last kMostStampedEpochs epochs, in order.
  Measured<std::string> stopped_by;         ///< Stopping criterion: "epochs", "target-ci", "deadline", ...
  Measured<Seconds> setup;  ///< Time to build model and optimizer and to copy data to the device.
  std::vector<double> validation_seconds;  ///< Time of validation after each epoch; protocol fit.
  NamedSeries training;                    ///< Metrics of each epoch over its samples.
  NamedSeries validation_history;          ///< Validation metrics after each epoch; protocol fit.
  /// Validation metrics after the last epoch, untimed.
  Measured<NamedValues> validation = missing("protocol epoch evaluates the test split");
  Measured<NamedValues> test;       ///< Test metrics after the last epoch, untimed.
  Measured<Seconds> process;        ///< Lifetime of the process, start of LibTorch included.
  Measured<Seconds> process_start;  ///< Time from process start until the device is ready.

  // Memory.
  Measured<Bytes> peak_host;                     ///< Peak resident set size of the process.
  Measured<Bytes> peak_device;                   ///< Peak memory of tensors on the device.
  Measured<Bytes> peak_reserved;                 ///< Peak memory of LibTorch's allocator on the device.
  Measured<Bytes> device_in_use;                 ///< Device memory in use by all processes at the end.
  std::vector<std::int64_t> epoch_host_bytes;    ///< Resident set size after each epoch.
  std::vector<std::int64_t> epoch_device_bytes;  ///< Memory of tensors after each epoch; empty on the CPU.

  // Cost of a step; see docs/timing.md.
  Measured<double> train_flop_per_sample;  ///< FLOP of forward and backward pass, counted on an untimed step.
  Measured<double> operations_per_step;    ///< Operations per step, optimizer included.
  Measured<Bytes> traffic_per_step;        ///< Bytes read and written by these operations without caches.
  std::vector<double> input_wait_seconds;  ///< Wait for batches in each epoch; loader host.

  // Several ranks; see docs/multi-gpu.md.
  Measured<std::string> backend = missing("a single rank has no exchange");            ///< "gloo" or "nccl".
  Measured<Bytes> gradient_bytes_per_step = missing("a single rank has no exchange");  ///< Bytes per rank.
  std::vector<double> communication_seconds;  ///< Shortest wait of any rank for exchanges, in each epoch.
  std::vector<double> imbalance;              ///< Largest busy time over the mean, minus 1, in each epoch.
  std::vector<double> rank_busy_seconds;      ///< Total busy time of each rank, without waits.

  // Profile: seconds per step.
  /// Time by phase: "input", "forward", "backward", "optimizer", "other".
  Measured<NamedValues> profile_phases = missing("--profile was not given");
  /// Time by kind of layer: "convolution", "matrix product", ...
  Measured<NamedValues> profile_layers = missing("--profile was not given");

  std::vector<EnergyRecord> energy;  ///< Readings of each power source; see docs/energy.md.
  std::string energy_note;           ///< Reason for an empty `energy`; else empty.

  // Proof of work.
  std::int64_t trained_steps = 0;            ///< Optimizer steps executed, over all epochs.
  std::int64_t trained_samples = 0;          ///< Samples trained on, over all epochs.
  Measured<double> initial_loss;             ///< Mean loss of the first batch before the first update.
  Measured<std::string> parameter_checksum;  ///< SHA-256 of the final parameters, in order, as float bytes.
};

/// An operation or a collective, timed at one size.
struct OpRecord : RowRecord, OpPoint {
  Measured<std::string> backend = missing("not a collective");  ///< "gloo" or "nccl".

  std::int64_t calls_per_sample = 0;       ///< Calls timed together, because one is too short for the clock.
  std::string clock = "host";              ///< Clock of `call_seconds`: "host", or "device" for its events.
  std::vector<double> call_seconds;        ///< Time per call in each sample, in order.
  std::vector<double> host_call_seconds;   ///< Time per call by the host's clock, if `clock` is "device".
  std::vector<double> graph_call_seconds;  ///< Time per call in a recorded graph.

  double flop = 0;                ///< Floating-point operations per call; 0 if it only moves data.
  Measured<Bytes> traffic;        ///< Bytes per call: inputs read once, outputs written once.
  Measured<Bytes> needed_host;    ///< Host memory required by the row and its check.
  Measured<Bytes> needed_device;  ///< Device memory required by the row; missing for the CPU.
  Measured<double> error;         ///< Largest difference from fp64, relative to the largest value.
  Measured<double> tolerance;     ///< Maximum `error`.
};

/// Data of one epoch, added to the row after each epoch so that a crash loses only the current one.
struct EpochRecord {
  std::vector<Phase> phases;  ///< Phases of the epoch, with validation in protocol fit.
  Seconds duration;
  std::vector<double> block_seconds;  ///< Time of each block; the sum is about `duration`.
  NamedValues training;               ///< Training metrics over the samples of the epoch.
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  std::optional<Bytes> host;              ///< Resident set size after the epoch.
  std::optional<Bytes> device;            ///< Device memory of tensors after the epoch.
  std::optional<Seconds> input_wait;      ///< Wait for batches; loader host.
  std::optional<Seconds> validation;      ///< Time of validation; protocol fit.
  NamedValues validation_figures;         ///< Validation metrics; protocol fit.
  std::optional<Seconds> communication;   ///< Shortest wait of any rank for exchanges.
  std::vector<double> rank_busy_seconds;  ///< Busy time of each rank; empty for a single rank.
};

/// Adds an epoch. Throws a data Error if its metrics differ from those of earlier epochs.
void add_epoch(CaseRecord& record, const EpochRecord& epoch);

// The halves of add_epoch() without phases: an epoch counts even if its validation fails.
void add_training(CaseRecord& record, const EpochRecord& epoch);
void add_validation(CaseRecord& record, const EpochRecord& epoch);

/// Selection and order of the rows.
struct PlanRecord {
  std::string kind = "training";  ///< "training", or for operations "table", "matrix", "sweep" or "net".
  std::string suite;              ///< Suite or set of sizes; empty for a plan from options.
  std::int64_t order_seed = 0;    ///< Seed of the order of repeats.
  Measured<Seconds> budget = missing("no budget was given");

  /// Identifier shared by the runs of all variants of an interleaved run. Repeats are the rounds.
  Measured<std::string> interleaved_run = missing("not an interleaved run");
  /// Variant: "A", "B", ...
  Measured<std::string> variant = missing("not an interleaved run");

  bool has_operations() const { return kind != "training"; }
};

/// A row of any workload, in any state from planned to finished.
using Result = std::variant<CaseRecord, OpRecord>;

/// Returns the common members of a row.
inline RowRecord& get_row(Result& result) {
  return std::visit([](RowRecord& row) -> RowRecord& { return row; }, result);
}
inline const RowRecord& get_row(const Result& result) {
  return std::visit([](const RowRecord& row) -> const RowRecord& { return row; }, result);
}

struct RunRecord {
  ToolRecord tool;
  PlanRecord plan;
  Environment environment;
  std::vector<CaseRecord> cases;             ///< Training cases; empty for a run of operations.
  std::vector<OpRecord> operations;          ///< Operations; empty for a run of training cases.
  std::optional<PublishedRecord> published;  ///< Publication of the figures; empty if measured.
  bool is_changed = false;  ///< The checksum of its file does not match; not part of the document.

  bool has_operations() const { return !operations.empty() || plan.has_operations(); }
};

}  // namespace gpubench
