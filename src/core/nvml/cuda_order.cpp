#include "core/nvml/cuda_order.h"

#include <algorithm>
#include <cstdlib>

#include "gpubench/core/text/fields.h"

namespace gpubench {
namespace {

using Devices = std::vector<std::optional<std::string>>;

bool is_number(std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

/// Whether CUDA numbers the GPUs as the driver lists them: it puts the fastest first, unless told otherwise.
bool is_order_known(std::span<const ListedGpu> gpus, const CudaVariables& variables) {
  const auto is_alike = [&](const ListedGpu& gpu) { return gpu.name == gpus.front().name; };
  return variables.device_order == "PCI_BUS_ID" || std::ranges::all_of(gpus, is_alike);
}

/// The GPU of a number, or of the start of a UUID that only one GPU has; none where CUDA would not find it
/// either. As strtoul, CUDA reads a number as far as it goes.
std::optional<std::size_t> gpu_named(std::string_view word, std::span<const ListedGpu> gpus) {
  if (is_number(word)) {
    const std::size_t index = std::strtoul(std::string(word).c_str(), nullptr, 10);
    return index < gpus.size() ? std::optional(index) : std::nullopt;
  }
  std::optional<std::size_t> found;
  for (std::size_t index = 0; index < gpus.size() && word.starts_with("GPU-"); ++index) {
    if (!gpus[index].uuid.starts_with(word)) continue;
    if (found.has_value()) return std::nullopt;
    found = index;
  }
  return found;
}

/// Whether a list can be followed without knowing CUDA's order, or the parts that a GPU is divided into.
bool can_follow(const std::vector<std::string_view>& words, bool is_known) {
  return std::ranges::none_of(words, [&](std::string_view word) {
    return word.starts_with("MIG-") || (is_number(word) && !is_known);
  });
}

/// The list ends for CUDA at the first entry that is none; one that names a GPU twice is as an empty one.
Devices follow(const std::vector<std::string_view>& words, std::span<const ListedGpu> gpus) {
  Devices devices(gpus.size());
  int next = 0;
  for (const std::string_view word : words) {
    const std::optional<std::size_t> index = gpu_named(word, gpus);
    if (!index.has_value()) break;
    if (devices[*index].has_value()) return Devices(gpus.size());
    devices[*index] = "cuda:" + std::to_string(next++);
  }
  return devices;
}

}  // namespace

CudaVariables cuda_variables() {
  CudaVariables variables;
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) variables.visible_devices = visible;
  if (const char* const order = std::getenv("CUDA_DEVICE_ORDER")) variables.device_order = order;
  return variables;
}

Devices cuda_devices(std::span<const ListedGpu> gpus, const CudaVariables& variables) {
  const bool is_known = is_order_known(gpus, variables);
  if (variables.visible_devices.has_value()) {
    const auto words = split_fields(*variables.visible_devices, ',');
    return can_follow(words, is_known) ? follow(words, gpus) : Devices(gpus.size(), "");
  }
  Devices devices;
  for (std::size_t index = 0; index < gpus.size(); ++index) {
    devices.push_back(is_known ? "cuda:" + std::to_string(index) : "");
  }
  return devices;
}

}  // namespace gpubench
