#include <algorithm>

#include <ATen/Version.h>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/device.h"
#include "gpubench/record/environment.h"

namespace gpubench::cpu_plugin {
namespace {

class CpuDevice : public Device {
 public:
  std::string name() const override { return "cpu"; }

  DeviceRecord record() const override {
    const Environment host = read_host();
    const Missing no_gpu = missing("not a GPU");
    return {.name = "cpu",
            .model = host.cpu,
            .memory = host.memory,
            .driver = missing("a CPU has no driver"),
            .architecture = at::get_cpu_capability(),
            .uuid = no_gpu,
            .pci_address = no_gpu};
  }

  /// Does nothing: LibTorch's CPU operations are finished when they return.
  void synchronize() override {}

  std::string why_no_marks() const override { return {}; }
  std::unique_ptr<DeviceMarks> make_marks(const Clock& clock, std::size_t count) override {
    return std::make_unique<ClockMarks>(clock, count);
  }

  Measured<Bytes> free_memory() const override {
    return available_memory().then([](Bytes left) { return std::min(left, memory_left_by_limit()); });
  }
};

int count(std::string&) { return 1; }

std::unique_ptr<Device> open(int) { return std::make_unique<CpuDevice>(); }

}  // namespace

DeviceEntry entry_cpu() { return {"cpu", "Processor of the host", false, count, open}; }

}  // namespace gpubench::cpu_plugin
