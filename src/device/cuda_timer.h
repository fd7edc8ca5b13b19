#pragma once
// CUDA events behind the interface of device.h. In builds without CUDA there are none.

#include "gpubench/device.h"

namespace gpubench {

/// See Device::make_timer; `index` is the GPU's.
std::unique_ptr<DeviceTimer> make_cuda_timer(int index);

}  // namespace gpubench
