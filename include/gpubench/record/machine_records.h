#pragma once
// Records of devices: their peak rates, and whether what gpubench says of them is true.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// What a point measures.
enum class PeakKind {
  kGemm,          ///< Product of two square matrices.
  kConvolution,   ///< One with a 1x1 filter, which no algorithm does with fewer multiplications.
  kCopy,          ///< b = a.
  kTriad,         ///< a = b + s * c.
  kHostToDevice,  ///< Copy out of pinned host memory.
  kLaunch,        ///< A tiny operation, launched by itself, many in a row.
  kGraphNode,     ///< The same inside a recorded graph.
};
inline constexpr std::array kPeakKindNames{"gemm",           "convolution", "copy",      "triad",
                                           "host-to-device", "launch",      "graph-node"};
inline EnumNames<PeakKind> enum_names(PeakKind) { return {"kind of point", kPeakKindNames}; }

/// Whether the point is a rate of arithmetic, in a precision.
constexpr bool is_arithmetic(PeakKind kind) {
  return kind == PeakKind::kGemm || kind == PeakKind::kConvolution;
}

/// Unit of a point's value: "FLOP/s", "B/s" or "s".
std::string find_unit(PeakKind kind);

/// One thing that was measured, at one size.
struct PeakPoint {
  PeakKind kind = PeakKind::kGemm;
  std::string precision;     ///< Of arithmetic: "fp32", "tf32", "bf16", "fp16", "fp64"; else empty.
  std::int64_t size = 0;     ///< Rows of a matrix, channels, bytes of an array, operations in a row; or 0.
  Measured<double> value{};  ///< In find_unit(kind): a rate, or the time of one operation.
  std::string device = "";   ///< Name of it, where points of several are together.
};

/// A measurement of the machine's own peaks.
struct PeakRecord {
  ToolRecord tool;
  Environment environment;  ///< Its devices have the figures that stand for the points.
  std::vector<PeakPoint> points;
};

/// How a check ended.
enum class CheckStatus {
  kPass,
  kFail,
  kUnchecked,  ///< It cannot be checked here; the message says why.
};
inline constexpr std::array kCheckStatusNames{"pass", "fail", "unchecked"};
constexpr EnumNames<CheckStatus> enum_names(CheckStatus) { return {"status of a check", kCheckStatusNames}; }

/// One thing that was checked.
struct CheckRow {
  std::string device;   ///< "cuda:0".
  std::string check;    ///< Name of the check in its catalog: "losses".
  std::string subject;  ///< What of it: "cnn", "bf16"; empty for a check of a single row.
  std::string claim;    ///< What is true where it passes.
  CheckStatus status = CheckStatus::kFail;
  std::string message;           ///< What was found, or why it cannot be checked.
  Measured<double> deviation{};  ///< How far off it was, where that is a number,
  Measured<double> tolerance{};  ///< and how far off it may be.
  Seconds duration{};            ///< Of the whole check, in each of its rows.
};

/// All checks of a device, in their order.
struct SelftestRecord {
  ToolRecord tool;
  Environment environment;
  std::vector<CheckRow> checks;
};

}  // namespace gpubench
