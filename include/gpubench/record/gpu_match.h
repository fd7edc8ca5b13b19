#pragma once
// Which device of a run a GPU is. Live meters and imported logs follow the same rule. No LibTorch.

#include <span>
#include <string>
#include <vector>

#include "gpubench/core/gpu_identity.h"

namespace gpubench {

struct Environment;

/// Which device of a run a GPU is. Both empty: certainly none of the run's devices.
struct GpuMatch {
  std::string device;       ///< "cuda:0".
  std::string why_unknown;  ///< A clause: "the result does not record CUDA_VISIBLE_DEVICES".

  bool is_foreign() const { return device.empty() && why_unknown.empty(); }

  friend bool operator==(const GpuMatch&, const GpuMatch&) = default;
};

/// Matches the GPUs that one meter or log lists, each once, to the devices and ranks of a run; an entry for
/// each of `gpus`. Compares UUIDs, else PCI addresses (with or without domain), else the driver's number with
/// that in CUDA_VISIBLE_DEVICES. A number counts only where CUDA's order is known: with
/// CUDA_DEVICE_ORDER=PCI_BUS_ID, or if no two models differ. MIG parts are unknown. Other hosts: by UUID.
std::vector<GpuMatch> match_gpus(std::span<const GpuIdentity> gpus, const Environment& run);

/// Environment::visible_devices of this process; "none" if no variable is set.
std::string visible_devices();

}  // namespace gpubench
