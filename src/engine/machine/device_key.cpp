#include "engine/machine/device_key.h"

#include <fmt/format.h>

namespace gpubench {

std::string device_key(const DeviceRecord& device, const Environment& environment) {
  return fmt::format("{}; {}; {}; {} threads; LibTorch {}", device.name, device.model, environment.cpu,
                     environment.threads, environment.libtorch_version);
}

}  // namespace gpubench
