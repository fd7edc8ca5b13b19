#include <ATen/detail/MPSHooksInterface.h>
#include <torch/mps.h>

#include "device/entries.h"
#include "device/host/host.h"

namespace gpubench {
namespace {

class MpsDevice : public Device {
 public:
  std::string name() const override { return "mps"; }

  DeviceRecord record() const override {
    const Environment host = read_host();
    // The GPU is part of the chip and shares its memory.
    return {"mps",
            host.cpu + " GPU",
            host.memory,
            absent("the driver is part of macOS"),
            absent("LibTorch does not tell the GPU family"),
            {}};
  }

  void synchronize() override { torch::mps::synchronize(); }

  Reading<Bytes> peak_memory() const override { return absent("LibTorch does not tell the peak on MPS"); }

  Reading<Bytes> peak_reserved_memory() const override {
    return absent("LibTorch does not tell the peak on MPS");
  }

  Reading<Bytes> held_memory() const override { return bytes(hooks().getCurrentAllocatedMemory()); }

  /// Metal tells of this process alone.
  Reading<Bytes> memory_in_use() const override { return bytes(hooks().getDriverAllocatedMemory()); }

  /// The GPU takes its memory from the host's.
  Reading<Bytes> free_memory() const override { return available_memory(); }

 private:
  static const at::MPSHooksInterface& hooks() { return at::detail::getMPSHooks(); }
  static Bytes bytes(std::size_t count) { return {static_cast<std::int64_t>(count)}; }
};

int count(std::string& why_not) {
  if (torch::mps::is_available()) return 1;
  why_not =
      "no Apple GPU that this LibTorch can use; it needs a Mac with macOS 13 or newer; try --device cpu";
  return 0;
}

std::unique_ptr<Device> open(int) { return std::make_unique<MpsDevice>(); }

}  // namespace

DeviceEntry entry_mps() { return {"mps", "the GPU of a Mac, through Metal", false, count, open}; }

}  // namespace gpubench
