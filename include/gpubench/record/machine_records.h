#pragma once
// Records of device measurements: peak rates and self-tests.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/names.h"

namespace gpubench {

enum class PeakKind {
  kGemm,          ///< Product of two square matrices.
  kConvolution,   ///< Convolution with a 1x1 filter, for which no algorithm saves multiplications.
  kCopy,          ///< b = a.
  kTriad,         ///< a = b + s * c.
  kHostToDevice,  ///< Copy from pinned host memory.
  kLaunch,        ///< Tiny operations, launched one by one.
  kGraphNode,     ///< Tiny operations in a recorded graph.
};
inline constexpr std::array kPeakKindNames{"gemm",           "convolution", "copy",      "triad",
                                           "host-to-device", "launch",      "graph-node"};
inline EnumNames<PeakKind> enum_names(PeakKind) { return {"kind of point", kPeakKindNames}; }

/// Returns true for a rate of arithmetic, which has a precision.
constexpr bool is_arithmetic(PeakKind kind) {
  return kind == PeakKind::kGemm || kind == PeakKind::kConvolution;
}

/// Returns the unit of a point's value: "FLOP/s", "B/s" or "s".
std::string find_unit(PeakKind kind);

/// A peak measurement at one size.
struct PeakPoint {
  PeakKind kind = PeakKind::kGemm;
  std::string precision;     ///< "fp32", "tf32", "bf16", "fp16", "fp64"; empty without arithmetic.
  std::int64_t size = 0;     ///< Matrix rows, channels, array bytes or operations in a row; 0: not measured.
  Measured<double> value{};  ///< Rate, or time per operation, in find_unit(kind).
  std::string device = "";   ///< Device name, if points of several devices are listed together.
};

struct PeakRecord {
  ToolRecord tool;
  Environment environment;  ///< Its devices have the best figures of the points.
  std::vector<PeakPoint> points;
};

enum class CheckStatus {
  kPass,
  kFail,
  kUnchecked,  ///< Not checkable on this machine; the message has the reason.
};
inline constexpr std::array kCheckStatusNames{"pass", "fail", "unchecked"};
constexpr EnumNames<CheckStatus> enum_names(CheckStatus) { return {"status of a check", kCheckStatusNames}; }

struct CheckRow {
  std::string device;   ///< "cuda:0".
  std::string check;    ///< Catalog name of the check: "losses".
  std::string subject;  ///< Checked model, precision or meter: "cnn", "bf16"; empty for a single row.
  std::string claim;    ///< Statement that the check tests.
  CheckStatus status = CheckStatus::kFail;
  std::string message;           ///< Finding, or reason for `unchecked`.
  Measured<double> deviation{};  ///< Measured deviation, if numeric.
  Measured<double> tolerance{};  ///< Maximum deviation.
  Seconds duration{};            ///< Duration of the whole check, equal in all of its rows.
};

struct SelftestRecord {
  ToolRecord tool;
  Environment environment;
  std::vector<CheckRow> checks;
};

}  // namespace gpubench
