#include "power/entries.h"
#include "power/sources.h"

namespace gpubench {
namespace {

constexpr double kMicro = 1e-6;

/// A graphics processor and the folder of hwmon in which its driver tells of it.
struct AmdGpu {
  std::string part;
  std::string hwmon;
  bool is_part_of_processor = false;
};

class AmdSource : public PowerSource {
 public:
  AmdSource(HostFiles files, const AmdGpu& gpu, const std::string& device)
      : files_(std::move(files)), hwmon_(gpu.hwmon) {
    facts_.meter = "amd";
    facts_.part = gpu.part;
    facts_.device = device;
    facts_.scope = gpu.is_part_of_processor ? PowerScope::kSoc : PowerScope::kGpuBoard;
    has_energy_ = files_.number(hwmon_ + "/energy1_input").has_value();
    choose_power_file();
  }

  PowerSourceFacts facts() const override { return facts_; }

  PowerReading read() override {
    PowerReading reading;
    if (has_energy_) reading.energy = scaled<Joules>(files_.number(hwmon_ + "/energy1_input"), kMicro);
    reading.power = scaled<Watts>(files_.number(power_path_), kMicro);
    reading.temperature = scaled<Celsius>(files_.number(hwmon_ + "/temp1_input"), 1e-3);
    reading.clock = scaled<Hertz>(files_.number(hwmon_ + "/freq1_input"), 1);
    reading.limit = scaled<Watts>(files_.number(hwmon_ + "/power1_cap"), kMicro);
    return reading;
  }

 private:
  void choose_power_file() {
    power_path_ = hwmon_ + "/power1_average";
    if (files_.number(power_path_).has_value()) {
      // Over how long is told nowhere.
      facts_.power_quantity = "power averaged by the GPU";
      return;
    }
    power_path_ = hwmon_ + "/power1_input";
    if (files_.number(power_path_).has_value()) facts_.power_quantity = "instantaneous power";
  }

  HostFiles files_;
  std::string hwmon_;
  std::string power_path_;
  PowerSourceFacts facts_;
  bool has_energy_ = false;
};

bool is_of_amd(const HostFiles& files, const std::string& card) {
  const Reading<std::string> vendor = files.line(card + "/device/vendor");
  return vendor.has_value() && vendor.value() == "0x1002";
}

bool tells_power(const HostFiles& files, const std::string& hwmon) {
  for (const char* name : {"/energy1_input", "/power1_average", "/power1_input"}) {
    if (files.number(hwmon + name).has_value()) return true;
  }
  return false;
}

/// "GPU 0 AMD Instinct MI210", or without a product's name the kernel's: "GPU 0 card1".
std::string part_name(const HostFiles& files, const std::string& card, std::size_t index) {
  const Reading<std::string> product = files.line(card + "/device/product_name");
  const bool is_named = product.has_value() && !product.value().empty();
  return "GPU " + std::to_string(index) + " " +
         (is_named ? product.value() : card.substr(card.rfind('/') + 1));
}

std::vector<AmdGpu> find_gpus(const HostFiles& files) {
  std::vector<AmdGpu> gpus;
  for (const std::string& card : files.entries("/sys/class/drm", "card")) {
    // "card0-DP-1" is a socket of card0.
    if (card.find('-') != std::string::npos || !is_of_amd(files, card)) continue;
    for (const std::string& hwmon : files.entries(card + "/device/hwmon", "hwmon")) {
      if (!tells_power(files, hwmon)) continue;
      // The driver shows this voltage of GPUs that share a chip with a processor, whose power has both in it.
      const bool is_part = files.line(hwmon + "/in1_label") == Reading<std::string>("vddnb");
      gpus.push_back({part_name(files, card, gpus.size()), hwmon, is_part});
      break;
    }
  }
  return gpus;
}

PowerSources open(const MeterRequest&, std::string& why_not) { return amd_sources(HostFiles(), why_not); }

}  // namespace

PowerSources amd_sources(const HostFiles& files, std::string& why_not) {
  const std::vector<AmdGpu> gpus = find_gpus(files);
  if (gpus.empty()) why_not = "no GPU of AMD tells its power below /sys/class/drm";
  // LibTorch calls GPUs of AMD cuda too, in an order that the kernel does not know.
  const bool is_alone = gpus.size() == 1 && files.entries("/proc/driver/nvidia").empty();
  PowerSources sources;
  for (const AmdGpu& gpu : gpus)
    sources.push_back(std::make_unique<AmdSource>(files, gpu, is_alone ? "cuda:0" : ""));
  return sources;
}

MeterEntry entry_amd() { return {"amd", "AMD GPUs, from the Linux kernel", true, open}; }

}  // namespace gpubench
