#pragma once
// Peak of a device: its highest measured rates. See docs/timing.md.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/machine_records.h"

namespace gpubench {

enum class PeakEffort {
  kTrial,  ///< About a second on a CPU: a few fast sizes.
  kFull,   ///< About a minute: all sizes, repeated until no rate improves.
};

struct PeakMeasurement {
  DeviceRecord device;
  std::vector<PeakPoint> points;
};

using ReportPoint = std::function<void(const PeakPoint&)>;

/// Returns the best point of each kind and precision. For memory bandwidth this is the point with the
/// largest arrays: smaller ones may fit into a cache.
std::vector<PeakPoint> headline(const std::vector<PeakPoint>& points);

/// Sets the peaks of the record: for each precision the faster of matrix product and convolution.
void set_peak(DeviceRecord& record, const std::vector<PeakPoint>& points, const std::string& measured_at);

void copy_peak(const DeviceRecord& source, DeviceRecord& record);

void improve_peak(const DeviceRecord& source, DeviceRecord& record);

/// Returns the peak of the device in `precision`, in FLOP/s; 0 if unknown.
double peak_in(const DeviceRecord& device, const std::string& precision);

void raise_peak(DeviceRecord& device, const std::string& precision, double rate);

/// Measures an idle device. Unsupported kinds give points without a value. Restores the TF32 settings.
PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort,
                             const ReportPoint& report);

}  // namespace gpubench
