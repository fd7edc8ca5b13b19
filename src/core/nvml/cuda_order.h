#pragma once
// What CUDA calls the GPUs that NVIDIA's driver lists.

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpubench {

/// A GPU as NVIDIA's driver lists it, in the order of PCI addresses.
struct ListedGpu {
  std::string name;
  std::string uuid;
};

/// The variables of the environment that CUDA heeds.
struct CudaVariables {
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES.
  std::string device_order;                    ///< CUDA_DEVICE_ORDER.
};

/// As they are set for this process.
CudaVariables cuda_variables();

/// What LibTorch calls each GPU: CUDA has an order of its own and leaves out what CUDA_VISIBLE_DEVICES does
/// not name. "cuda:1", empty where that cannot be told from here, absent where CUDA does not see it.
std::vector<std::optional<std::string>> cuda_devices(std::span<const ListedGpu> gpus,
                                                     const CudaVariables& variables);

}  // namespace gpubench
