#pragma once
// How GPUs of one machine reach each other. No LibTorch.

#include <string>

#include "core/io/nvml_library.h"
#include "gpubench/core/measured.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// Returns what connects NVIDIA's GPU that is `device` ("cuda:1") of `run` to the others of its machine,
/// hidden ones included: "NVLink, 18 links of 26.6 GB/s, to all 7 others"; "PCIe 4 x16, through the
/// processor" if that is the way to the farthest of them; "PCIe 5 x16" of a single one. A link's bandwidth is
/// that of one direction. Missing, with the reason, if the driver, at `library_path`, does not know.
Measured<std::string> gpu_link(const std::string& device, const Environment& run,
                               const std::string& library_path = NvmlLibrary::kName);

}  // namespace gpubench
