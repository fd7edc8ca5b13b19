#pragma once
// How GPUs of one machine reach each other. No LibTorch.

#include <string>

#include "gpubench/core/measured.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// What leads from NVIDIA's GPU that is `device` ("cuda:1") of `run` to the others of its machine, hidden
/// ones included: "NVLink, 18 links of 26.6 GB/s, to all 7 others"; "PCIe 4 x16, through the processor" where
/// the GPUs that are farthest from it can be reached so; "PCIe 5 x16" of one by itself. A link's bandwidth is
/// that of one direction. Missing, with the reason, where the driver does not tell.
Measured<std::string> gpu_link(const std::string& device, const Environment& run,
                               const std::string& library_path);

/// As this machine's driver tells.
Measured<std::string> gpu_link(const std::string& device, const Environment& run);

}  // namespace gpubench
