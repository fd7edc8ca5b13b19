#pragma once
// Measures the roof of a device.

#include "engine/api/peak.h"

namespace gpubench {

/// Measures the device, which nobody else should use meanwhile. What it cannot do is a point without a value;
/// nothing is thrown for it. LibTorch's settings for TF32 are afterwards what they were.
PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell);

}  // namespace gpubench
