#pragma once
// The roof of a device: what it reaches when nothing but itself holds it back. docs/utilization.md explains.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// How much time may be spent.
enum class PeakEffort {
  kTrial,  ///< About half a second on a CPU: few sizes, and what is slow is left out.
  kFull,   ///< About a minute: all sizes, repeated until nothing gets better.
};

/// What a point measures.
enum class PeakKind {
  kGemm,          ///< Product of two square matrices.
  kCopy,          ///< b = a.
  kTriad,         ///< a = b + s * c.
  kHostToDevice,  ///< Copy out of pinned host memory.
  kLaunch,        ///< A tiny operation, launched by itself, many in a row.
  kGraphNode,     ///< The same inside a recorded graph.
};

/// "gemm", "copy", "triad", "host-to-device", "launch", "graph-node": as in files.
std::string to_string(PeakKind kind);

/// Unit of a point's value: "FLOP/s", "B/s" or "s".
std::string unit_of(PeakKind kind);

/// One thing that was measured, at one size.
struct PeakPoint {
  PeakKind kind = PeakKind::kGemm;
  std::string precision;    ///< Of a product: "fp32", "tf32", "bf16", "fp16", "fp64"; else empty.
  std::int64_t size = 0;    ///< Rows of a matrix, bytes of an array, operations in a row; 0: of no size.
  Reading<double> value{};  ///< In unit_of(kind): a rate, or the time of one operation.
};

/// All points of a device, and its record with the figures that stand for them.
struct PeakMeasurement {
  DeviceRecord device;
  std::vector<PeakPoint> points;
};

/// Called with each point when it is done.
using TellPoint = std::function<void(const PeakPoint&)>;

/// The point that stands for each kind and precision, in the order of `points`: the best product and the best
/// transfer from the host; of memory that with the largest arrays, since smaller ones may sit in a cache; a
/// point without a value only where there is none with one.
std::vector<PeakPoint> headline(const std::vector<PeakPoint>& points);

/// Puts the headline of `points` into the record.
void set_peak(DeviceRecord& record, const std::vector<PeakPoint>& points, const std::string& measured_at);

/// Puts the roof of `source` into `record`, whose other fields stay.
void copy_peak(const DeviceRecord& source, DeviceRecord& record);

}  // namespace gpubench
