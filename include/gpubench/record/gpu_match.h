#pragma once
// Matching of physical GPUs to devices of a run, for live meters and imported logs. No LibTorch.

#include <span>
#include <string>
#include <vector>

#include "gpubench/core/gpu_identity.h"

namespace gpubench {

struct Environment;

/// Device of a run that matches a GPU. If both members are empty, the run does not use the GPU.
struct GpuMatch {
  std::string device;       ///< "cuda:0".
  std::string why_unknown;  ///< Clause such as "the result does not record CUDA_VISIBLE_DEVICES".

  bool is_foreign() const { return device.empty() && why_unknown.empty(); }

  friend bool operator==(const GpuMatch&, const GpuMatch&) = default;
};

/// Returns the match of each GPU of one meter or log with the devices and ranks of a run. Compares UUIDs,
/// else PCI addresses with or without domain, else the driver's index with CUDA_VISIBLE_DEVICES. An index
/// counts only if CUDA's order is known: with CUDA_DEVICE_ORDER=PCI_BUS_ID, or if all GPUs are the same
/// model. GPUs of other hosts match by UUID only. MIG partitions are unknown.
std::vector<GpuMatch> match_gpus(std::span<const GpuIdentity> gpus, const Environment& run);

/// Returns Environment::visible_devices of this process.
std::string visible_devices();

}  // namespace gpubench
