#pragma once
// Names of a physical GPU, as drivers and logs of power print them. No LibTorch.

#include <cstdint>
#include <optional>
#include <string>

namespace gpubench {

/// Identifies a physical GPU of one machine. Every member may be missing; a UUID identifies best, then the
/// PCI address, then the driver's index, which CUDA_VISIBLE_DEVICES and the like renumber.
struct GpuIdentity {
  std::string uuid{};                   ///< "GPU-8f6e...", as nvidia-smi prints it; empty if unknown.
  std::string pci_address{};            ///< "0000:65:00.0", lower case; empty if unknown.
  std::optional<std::int64_t> index{};  ///< Number by the driver's own tools, before any renumbering.
  std::string model{};                  ///< "NVIDIA H200"; identifies nothing, but tells unlike GPUs apart.

  friend bool operator==(const GpuIdentity&, const GpuIdentity&) = default;
};

}  // namespace gpubench
