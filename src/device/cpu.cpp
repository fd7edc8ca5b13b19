#include <ATen/Version.h>

#include "device/entries.h"
#include "device/host/host.h"

namespace gpubench {
namespace {

class CpuDevice : public Device {
 public:
  std::string name() const override { return "cpu"; }

  DeviceRecord record() const override {
    const HostFacts host = read_host();
    return {"cpu", host.cpu, host.memory, absent("a CPU has no driver"), at::get_cpu_capability()};
  }

  /// LibTorch's CPU operations have finished when they return.
  void synchronize() override {}
};

int count(std::string&) { return 1; }

std::unique_ptr<Device> open(int) { return std::make_unique<CpuDevice>(); }

}  // namespace

DeviceEntry entry_cpu() { return {"cpu", "the host's processor", false, count, open}; }

}  // namespace gpubench
