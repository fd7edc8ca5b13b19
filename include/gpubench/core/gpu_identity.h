#pragma once
// Names of a physical GPU, as drivers and logs of power print them. No LibTorch.

#include <cstdint>
#include <optional>
#include <string>

namespace gpubench {

/// A physical GPU of one machine. A UUID identifies best, then the PCI address, then the driver's index.
struct GpuIdentity {
  std::string uuid{};                   ///< "GPU-8f6e...", as nvidia-smi prints it; empty if unknown.
  std::string pci_address{};            ///< "0000:65:00.0", lower case; empty if unknown.
  std::optional<std::int64_t> index{};  ///< Of the driver, before CUDA_VISIBLE_DEVICES renumbers.
  std::string model{};                  ///< "NVIDIA H200"; identifies nothing, but tells unlike GPUs apart.

  friend bool operator==(const GpuIdentity&, const GpuIdentity&) = default;
};

}  // namespace gpubench
