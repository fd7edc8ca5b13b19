#pragma once
// Members of every row, of a training case or an operation.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/names.h"
#include "gpubench/record/warning.h"

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

  // What the device could do at best; see docs/utilization.md.
  Measured<double> peak_flops_per_second;  ///< Best product or convolution in the row's precision or type.
  Measured<std::string> peak_source;       ///< Of that: a name of a PeakSource.
  Measured<double> peak_bytes_per_second;  ///< Of the device's memory.
  Measured<Seconds> operation_latency;     ///< Least time of an operation in this mode of execution.
};

}  // namespace gpubench
