#pragma once
// The peak of a device: what it reaches when nothing but itself holds it back. docs/utilization.md explains.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/peak_record.h"

namespace gpubench {

/// How much time may be spent.
enum class PeakEffort {
  kTrial,  ///< About a second on a CPU: few sizes, and what is slow is left out.
  kFull,   ///< About a minute: all sizes, repeated until nothing gets better.
};

/// All points of a device, and its record with the figures that stand for them.
struct PeakMeasurement {
  DeviceRecord device;
  std::vector<PeakPoint> points;
};

/// Called with each point when it is done.
using TellPoint = std::function<void(const PeakPoint&)>;

/// The point that stands for each kind and precision, in the order of `points`: the best product, convolution
/// and transfer from the host; of memory that with the largest arrays, since smaller ones may sit in a cache;
/// a point without a value only where there is none with one.
std::vector<PeakPoint> headline(const std::vector<PeakPoint>& points);

/// Puts the headline of `points` into the record; of a precision the better of product and convolution.
void set_peak(DeviceRecord& record, const std::vector<PeakPoint>& points, const std::string& measured_at);

/// Puts the peak of `source` into `record`, whose other fields stay.
void copy_peak(const DeviceRecord& source, DeviceRecord& record);

/// The same, but for figures that `record` has better.
void improve_peak(const DeviceRecord& source, DeviceRecord& record);

/// The peak of the device in that precision, in FLOP/s; 0 where none is known.
double peak_in(const DeviceRecord& device, const std::string& precision);

/// Lets the rate of a row, which is above it, be the peak of the device in that precision.
void raise_peak(DeviceRecord& device, const std::string& precision, double rate);

/// Measures the device, which nobody else should use meanwhile. What it cannot do is a point without a value;
/// nothing is thrown for it. LibTorch's settings for TF32 are afterwards what they were.
PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell);

}  // namespace gpubench
