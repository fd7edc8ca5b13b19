#include "core/io/nvml_library.h"

#include <dlfcn.h>

namespace gpubench {

std::shared_ptr<const NvmlLibrary> NvmlLibrary::load(const std::string& path, std::string& why_not) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    why_not =
        fmt::format("NVIDIA driver not found ({}); install it if this machine has an NVIDIA GPU", dlerror());
    return nullptr;
  }
  auto library = std::make_shared<const NvmlLibrary>(handle);
  if (library->started_ == kSuccess) return library;
  why_not = library->why("the NVIDIA driver does not start", library->started_).reason +
            "; check the driver with nvidia-smi";
  return nullptr;
}

NvmlLibrary::~NvmlLibrary() {
  if (started_ == kSuccess) call(shutdown_);
  dlclose(library_);
}

std::vector<NvmlGpu> NvmlLibrary::gpus(std::string& why_not) const {
  std::vector<NvmlGpu> gpus;
  const Measured<unsigned> count = ask("the number of GPUs", 0U, count_);
  why_not = count.has_value() ? "the NVIDIA driver lists no GPU; check with nvidia-smi -L" : count.reason();
  for (unsigned index = 0; count.has_value() && index < count.value(); ++index) {
    const auto device = ask(fmt::format("GPU {}", index), NvmlDevice{}, device_, index);
    if (device.has_value()) {
      const std::string name = text(name_, device.value());
      const std::string part = fmt::format("GPU {}{}{}", index, name.empty() ? "" : " ", name);
      const auto address = ask("PCI address", NvmlPciInfo{}, pci_info_, device.value());
      const auto pci = address.then([](const NvmlPciInfo& info) {  // The address of function 0 of the card.
        return fmt::format("{:04x}:{:02x}:{:02x}.0", info.domain, info.bus, info.device);
      });
      gpus.push_back({device.value(), {text(uuid_, device.value()), pci.value_or(""), index, name}, part});
    } else {
      why_not = device.reason();
    }
  }
  return gpus;
}

Measured<double> NvmlLibrary::field(const std::string& what, NvmlDevice device, unsigned id) const {
  NvmlField request{};
  request.field_id = id;
  return ask(what, request, field_values_, device, 1).then([&](const NvmlField& field) -> Measured<double> {
    // The call succeeds even if the field is unsupported.
    if (field.result != kSuccess) return why(what, field.result);
    constexpr int kUnsigned = 1;  // nvmlValueType_t: 32 bits; the upper half of the union is undefined.
    return static_cast<double>(field.value_type == kUnsigned ? field.value & 0xffff'ffff : field.value);
  });
}

NvmlLibrary::Symbol NvmlLibrary::find(const char* symbol, const char* older) const {
  void* const address = dlsym(library_, symbol);
  return {address == nullptr && older != nullptr ? dlsym(library_, older) : address};
}

std::string NvmlLibrary::text(int (*function)(NvmlDevice, char*, unsigned), NvmlDevice device) const {
  std::array<char, 96> text{};
  const int code = call(function, device, text.data(), static_cast<unsigned>(text.size()));
  return code == kSuccess ? text.data() : "";
}

Missing NvmlLibrary::why(const std::string& what, int code) const {
  return missing("{}: {}", what, error_string_ ? error_string_(code) : fmt::format("NVML error {}", code));
}

}  // namespace gpubench
