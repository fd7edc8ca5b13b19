#pragma once
// What one run of gpubench measured. Plain data: raw values only, statistics are derived from them in
// derived.h.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/reading.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// How a case ended. Every planned case has a row, whatever happened to it.
enum class CaseStatus {
  kOk,
  kOutOfMemory,
  kUnsupported,  ///< The device or LibTorch lacks an operation that the model needs.
  kError,
  kDiverged,  ///< The loss was not finite, or did not fall.
};

/// "ok", "oom", "unsupported", "error", "diverged": as in files.
std::string to_string(CaseStatus status);

/// Name and mean value per item, e.g. {"loss", 0.41}.
using NamedValues = std::vector<std::pair<std::string, double>>;

/// Name and one value an epoch, e.g. {"loss", {0.9, 0.5}}.
using NamedSeries = std::vector<std::pair<std::string, std::vector<double>>>;

/// One model trained on one dataset and device with one batch size.
struct CaseRecord {
  // What was asked for.
  std::string model;
  std::string dataset;
  std::string device;
  std::int64_t batch_size = 0;
  std::int64_t epochs = 0;         ///< All epochs, the warm-up included.
  std::int64_t warmup_epochs = 0;  ///< The first epochs, which no statistic uses.
  std::int64_t seed = 0;
  double learning_rate = 0;

  // What it was made of.
  bool is_synthetic = false;
  std::string item;       ///< What is counted as a sample: "image".
  std::string precision;  ///< "fp32": strict, TF32 is off.
  std::string optimizer;  ///< Recipe and how it runs, e.g. "adam (fused)".
  std::int64_t train_samples = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t last_batch_size = 0;
  bool is_last_batch_dropped = false;
  std::int64_t validation_samples = 0;
  std::int64_t test_samples = 0;
  Reading<std::int64_t> parameters;    ///< Trainable ones.
  Reading<std::int64_t> forward_macs;  ///< Multiply-accumulates of one forward pass of one sample.

  // What happened.
  CaseStatus status = CaseStatus::kError;
  std::string status_reason;          ///< Empty for `ok`.
  std::vector<double> epoch_seconds;  ///< Every epoch in order, the warm-up included.
  Reading<Seconds> setup;             ///< Build of the model and optimiser, transfer of data to the device.
  NamedSeries training;               ///< Per epoch, over the samples of that epoch.
  Reading<NamedValues> validation;    ///< After the last epoch, untimed.
  Reading<NamedValues> test;          ///< After the last epoch, untimed.
};

/// Which gpubench made the record, and how it was called.
struct ToolRecord {
  std::string version;
  Reading<std::string> git_commit;
  std::vector<std::string> arguments;
  std::string started_at;            ///< UTC, ISO 8601.
  Reading<std::string> finished_at;  ///< Absent while the run goes on.
};

/// A whole run.
struct RunRecord {
  static constexpr std::int64_t kSchemaVersion = 1;
  ToolRecord tool;
  Environment environment;
  std::vector<CaseRecord> cases;
};

}  // namespace gpubench
