#pragma once
// What figures of a device that are kept for later runs depend on.

#include <string>

#include "gpubench/record/environment.h"

namespace gpubench {

/// One line: device, processor, threads and version of LibTorch.
std::string device_key(const DeviceRecord& device, const Environment& environment);

}  // namespace gpubench
