#pragma once
// The peak of a device: its best rates in any program. docs/utilization.md explains.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/peak_record.h"

namespace gpubench {

enum class PeakEffort {
  kTrial,  ///< About a second on a CPU: few sizes, without slow ones.
  kFull,   ///< About a minute: all sizes, repeated until nothing gets better.
};

/// All points of a device, and its record with their headline.
struct PeakMeasurement {
  DeviceRecord device;
  std::vector<PeakPoint> points;
};

using TellPoint = std::function<void(const PeakPoint&)>;

/// Returns one point for each kind and precision, in the order of `points`: the best product, convolution and
/// transfer from the host; of memory that with the largest arrays, since smaller ones may sit in a cache; a
/// point without a value only if there is no other.
std::vector<PeakPoint> headline(const std::vector<PeakPoint>& points);

/// Sets the peaks of the record to the headline of `points`; of a precision the better of product and
/// convolution.
void set_peak(DeviceRecord& record, const std::vector<PeakPoint>& points, const std::string& measured_at);

/// Copies the peaks of `source`, and no other fields.
void copy_peak(const DeviceRecord& source, DeviceRecord& record);

/// Copies the peaks of `source` that are better than those of `record`.
void improve_peak(const DeviceRecord& source, DeviceRecord& record);

/// Returns the peak of the device in that precision, in FLOP/s; 0 if it is unknown.
double peak_in(const DeviceRecord& device, const std::string& precision);

/// Raises the peak of the device in that precision to the rate of a row, which is above it.
void raise_peak(DeviceRecord& device, const std::string& precision, double rate);

/// Measures the device, which must be idle. An unsupported kind is a point without a value. Restores
/// LibTorch's settings for TF32.
PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell);

}  // namespace gpubench
