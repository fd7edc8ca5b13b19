#pragma once
// Sources of power of NVIDIA's GPUs, with the library to ask as an argument: tests have one of their own.

#include <memory>
#include <string>
#include <vector>

#include "gpubench/power_meter.h"
#include "power/parts/cuda_order.h"

namespace gpubench {

/// One for each GPU that CUDA sees and that tells energy or power. `why_not` is set where there is none.
std::vector<std::unique_ptr<PowerSource>> nvml_sources(const std::string& library_path,
                                                       const CudaVariables& variables, std::string& why_not);

/// What holds the clocks down, in words: "power cap, heat". Empty for none, and for a GPU without work.
std::string throttle_words(std::uint64_t clock_reasons);

}  // namespace gpubench
