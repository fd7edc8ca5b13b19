#pragma once
// Identifiers of a physical GPU, as drivers and power logs print them. No LibTorch.

#include <cstdint>
#include <optional>
#include <string>

namespace gpubench {

/// A physical GPU of one machine. The UUID identifies it best, then the PCI address, then `index`.
struct GpuIdentity {
  std::string uuid{};                   ///< "GPU-8f6e...", as nvidia-smi prints it; empty if unknown.
  std::string pci_address{};            ///< "0000:65:00.0", lower case; empty if unknown.
  std::optional<std::int64_t> index{};  ///< Driver's index, which CUDA_VISIBLE_DEVICES does not affect.
  std::string model{};                  ///< "NVIDIA H200"; not unique, but distinguishes different models.

  friend bool operator==(const GpuIdentity&, const GpuIdentity&) = default;
};

}  // namespace gpubench
