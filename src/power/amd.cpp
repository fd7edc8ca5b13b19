#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gpubench/power_meter.h"
#include "power/sources.h"

namespace gpubench::amd_plugin {
namespace {

constexpr double kMicro = 1e-6;

bool has_power(const HostFiles& files, const std::string& hwmon) {
  const std::array<const char*, 3> names{"/energy1_input", "/power1_average", "/power1_input"};
  return std::ranges::any_of(names, [&](const char* name) { return files.number(hwmon + name).has_value(); });
}

PowerSource make_source(const HostFiles& files, const std::string& hwmon, const std::string& part) {
  const bool has_energy = files.number(hwmon + "/energy1_input").has_value();
  const bool is_averaged = files.number(hwmon + "/power1_average").has_value();
  const std::string power_path = hwmon + (is_averaged ? "/power1_average" : "/power1_input");
  // The driver shows this voltage of GPUs that share a chip with a processor, whose power has both in it.
  const bool is_part_of_processor = files.line(hwmon + "/in1_label") == Measured<std::string>("vddnb");
  PowerSourceFacts facts{
      .meter = "amd", .part = part, .scope = is_part_of_processor ? PowerScope::kSoc : PowerScope::kGpuBoard};
  if (files.number(power_path).has_value()) {
    // The time of averaging is not documented.
    facts.power_quantity = is_averaged ? "power averaged by the GPU" : "instantaneous power";
  }
  return {std::move(facts), [=] {
            PowerReading reading{.power = scaled<Watts>(files.number(power_path), kMicro),
                                 .temperature = scaled<Celsius>(files.number(hwmon + "/temp1_input"), 1e-3),
                                 .clock = scaled<Hertz>(files.number(hwmon + "/freq1_input"), 1),
                                 .limit = scaled<Watts>(files.number(hwmon + "/power1_cap"), kMicro)};
            if (has_energy) reading.energy = scaled<Joules>(files.number(hwmon + "/energy1_input"), kMicro);
            return reading;
          }};
}

PowerSources open(const MeterRequest& request, std::string& why_not) {
  const HostFiles& files = request.files;
  PowerSources sources;
  for (const std::string& card : files.entries("/sys/class/drm", "card")) {
    // "card0-DP-1" is a socket of card0.
    const bool is_gpu = card.find('-') == std::string::npos;
    if (!is_gpu || files.line(card + "/device/vendor") != Measured<std::string>("0x1002")) continue;
    for (const std::string& hwmon : files.entries(card + "/device/hwmon", "hwmon")) {
      if (!has_power(files, hwmon)) continue;
      const std::string product = files.line(card + "/device/product_name").value_or("");
      sources.push_back(
          make_source(files, hwmon,
                      fmt::format("GPU {} {}", sources.size(),
                                  product.empty() ? card.substr(card.rfind('/') + 1) : product)));
      // The driver's 16-digit number is HIP's UUID.
      const Measured<std::string> number = files.line(card + "/device/unique_id");
      sources.back().facts.gpu = {
          .uuid = number.has_value() ? "GPU-" + number.value() : "",
          .pci_address = files.read_line(card + "/device/uevent", "PCI_SLOT_NAME=").value_or("")};
      break;
    }
  }
  if (sources.empty()) why_not = "no GPU of AMD tells its power below /sys/class/drm";
  // LibTorch numbers GPUs of AMD in an order that the kernel does not know.
  const bool is_alone = sources.size() == 1 && files.entries("/proc/driver/nvidia").empty();
  if (is_alone) sources.front().facts.gpu.index = 0;
  return sources;
}

}  // namespace

MeterEntry entry_amd() { return {"amd", "AMD GPUs, from the Linux kernel", true, open}; }

}  // namespace gpubench::amd_plugin
