#pragma once
// The peak of a device: its best rates in any program. docs/utilization.md explains.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/machine_records.h"

namespace gpubench {

enum class PeakEffort {
  kTrial,  ///< About a second on a CPU: few sizes, without slow ones.
  kFull,   ///< About a minute: all sizes, repeated until nothing gets better.
};

struct PeakMeasurement {
  DeviceRecord device;
  std::vector<PeakPoint> points;
};

using TellPoint = std::function<void(const PeakPoint&)>;

/// Returns the best point of each kind and precision; for memory, the one with the largest arrays, since
/// smaller ones may sit in a cache.
std::vector<PeakPoint> headline(const std::vector<PeakPoint>& points);

/// Sets the peaks of the record. Each precision gets the better of product and convolution.
void set_peak(DeviceRecord& record, const std::vector<PeakPoint>& points, const std::string& measured_at);

void copy_peak(const DeviceRecord& source, DeviceRecord& record);

void improve_peak(const DeviceRecord& source, DeviceRecord& record);

/// Returns the peak of the device in that precision, in FLOP/s; 0 if it is unknown.
double peak_in(const DeviceRecord& device, const std::string& precision);

void raise_peak(DeviceRecord& device, const std::string& precision, double rate);

/// Measures an idle device. Unsupported kinds are points without a value. Restores TF32 settings.
PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell);

}  // namespace gpubench
