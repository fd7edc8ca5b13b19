#pragma once
// CUDA graphs behind the interface of device.h. In builds without CUDA there are none.

#include "gpubench/device.h"

namespace gpubench {

/// See Device::why_no_graph.
std::string why_no_cuda_graph();

/// See Device::record_graph; `index` is the GPU's.
std::unique_ptr<RecordedWork> record_cuda_graph(int index, const std::function<void()>& warm_up,
                                                const std::function<void()>& work);

}  // namespace gpubench
