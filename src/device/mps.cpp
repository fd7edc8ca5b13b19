#include <algorithm>
#include <cstdlib>
#include <limits>

#include <ATen/detail/MPSHooksInterface.h>
#include <fmt/format.h>
#include <torch/mps.h>

#include "device/host/host.h"
#include "gpubench/device.h"
#include "gpubench/record/environment.h"

namespace gpubench::mps_plugin {
namespace {

Bytes bytes(std::size_t count) { return {static_cast<std::int64_t>(count)}; }

/// Returns Metal's recommended memory limit, which LibTorch reports from 2.5 on.
template <class Hooks>
Bytes recommended_memory(const Hooks& hooks) {
  if constexpr (requires { hooks.getRecommendedMaxMemory(); })
    return bytes(hooks.getRecommendedMaxMemory());
  else
    return {std::numeric_limits<std::int64_t>::max()};
}

class MpsDevice : public Device {
 public:
  std::string name() const override { return "mps"; }

  DeviceRecord record() const override {
    const Environment host = read_host();
    const auto cores = integrated_gpu_cores();
    const Missing no_name = missing("the GPU is part of the chip");
    // The GPU shares the chip's memory. One chip is sold with several GPU sizes.
    return {.name = "mps",
            .model = host.cpu + " GPU" + (cores.has_value() ? fmt::format(" ({} cores)", cores.value()) : ""),
            .memory = host.memory,
            .driver = missing("the driver is part of macOS"),
            .architecture = missing("LibTorch does not report the GPU family"),
            .uuid = no_name,
            .pci_address = no_name};
  }

  void synchronize() override { torch::mps::synchronize(); }

  Measured<Bytes> held_memory() const override { return bytes(hooks().getCurrentAllocatedMemory()); }

  /// Counts this process only.
  Measured<Bytes> memory_in_use() const override { return bytes(hooks().getDriverAllocatedMemory()); }

  /// Limits the host's free memory to Metal's recommendation, above which the system swaps.
  Measured<Bytes> free_memory() const override {
    const Bytes left = recommended_memory(hooks()) - bytes(hooks().getDriverAllocatedMemory());
    return available_memory().then([&](Bytes of_host) { return std::max(Bytes{}, std::min(of_host, left)); });
  }

  void free_spare_memory() override { hooks().emptyCache(); }

  std::string why_no_channels_last() const override {
    return "channels-last is not tried on MPS because it gives wrong batch-normalization gradients "
           "(pytorch issue 175189)";
  }

 private:
  static const at::MPSHooksInterface& hooks() { return at::detail::getMPSHooks(); }
};

int count(std::string& why_not) {
  if (torch::mps::is_available()) return 1;
  why_not =
      "this LibTorch finds no usable Apple GPU; MPS needs Apple silicon and macOS 14 or newer; use "
      "--device cpu";
  return 0;
}

std::unique_ptr<Device> open(int) {
  // By default, LibTorch lets tensors take 1.7 times Metal's recommended limit, which causes swapping.
  if (std::getenv("PYTORCH_MPS_HIGH_WATERMARK_RATIO") == nullptr) {
    at::detail::getMPSHooks().setMemoryFraction(1);
  }
  return std::make_unique<MpsDevice>();
}

}  // namespace

DeviceEntry entry_mps() { return {"mps", "GPU of a Mac, through Metal", false, count, open}; }

}  // namespace gpubench::mps_plugin
