#include <algorithm>

#include "core/io/nvml_library.h"
#include "gpubench/core/collect.h"
#include "gpubench/power_meter.h"
#include "power/sources.h"

namespace gpubench::nvml_plugin {
namespace {

constexpr double kMilli = 1e-3;

struct PowerQuery {
  unsigned field;  ///< NVML field in mW; 0 for nvmlDeviceGetPowerUsage(), which all drivers have.
  const char* quantity;
  Seconds averaging;
};

/// The best first. Drivers without the fields do not report which of the two quantities they return.
constexpr std::array<PowerQuery, 3> kPowerQueries = {
    {{186, "instantaneous power", {0}},      // NVML_FI_DEV_POWER_INSTANT
     {185, "power averaged over 1 s", {1}},  // NVML_FI_DEV_POWER_AVERAGE
     {0, "power, instantaneous or averaged over 1 s", {0}}}};

struct ClockReason {
  std::uint64_t bit;
  const char* text;
};

/// nvmlClocksEventReasons without 0x1: an idle GPU is not throttled.
constexpr std::array<ClockReason, 8> kClockReasons = {{
    {0x004, "power cap"},
    {0x020, "heat"},
    {0x040, "heat"},
    {0x080, "power brake"},
    {0x008, "hardware slowdown"},
    {0x010, "sync boost"},
    {0x002, "clock setting"},
    {0x100, "display clock"},
}};
/// Bit 0x8 is the consequence of these reasons, if one of them is set.
constexpr std::uint64_t kSlowdown = 0x008;
constexpr std::uint64_t kReasonsOfSlowdown = 0x040 | 0x080;

/// Formats "power cap, heat"; empty without a reason.
std::string throttle_text(std::uint64_t clock_reasons) {
  if ((clock_reasons & kReasonsOfSlowdown) != 0) clock_reasons &= ~kSlowdown;
  std::vector<std::string> texts;
  for (const auto& [bit, text] : kClockReasons) {
    if ((clock_reasons & bit) != 0) add_once(texts, std::string(text));
  }
  return join(texts);
}

/// Reads GPUs: energy since the driver was loaded, and the enforced power limit.
class NvmlPower {
 public:
  explicit NvmlPower(std::shared_ptr<const NvmlLibrary> library) : library_(std::move(library)) {}

  PowerReading read(NvmlDevice device, const PowerQuery& query) const {
    constexpr int kOfProcessor = 0;
    constexpr int kOfMultiprocessors = 1;
    PowerReading reading{
        scaled<Joules>(library_->ask("energy counter", 0ULL, energy_, device), kMilli), power(device, query),
        scaled<Celsius>(library_->ask("temperature", 0U, temperature_, device, kOfProcessor), 1),
        scaled<Hertz>(library_->ask("clock", 0U, clock_, device, kOfMultiprocessors), 1e6),
        scaled<Watts>(library_->ask("power limit", 0U, limit_, device), kMilli)};
    const auto reasons = library_->ask("clock reasons", 0ULL, clock_reasons_, device);
    if (reasons.has_value()) reading.throttle = throttle_text(reasons.value());
    return reading;
  }

  Measured<Watts> power(NvmlDevice device, const PowerQuery& query) const {
    if (query.field == 0) return scaled<Watts>(library_->ask("power", 0U, power_usage_, device), kMilli);
    return scaled<Watts>(library_->field("power", device, query.field), kMilli);
  }

 private:
  // Null if this version of the driver lacks the function.
  std::shared_ptr<const NvmlLibrary> library_;
  int (*energy_)(NvmlDevice, unsigned long long*) = library_->find("nvmlDeviceGetTotalEnergyConsumption");
  int (*power_usage_)(NvmlDevice, unsigned*) = library_->find("nvmlDeviceGetPowerUsage");
  int (*temperature_)(NvmlDevice, int, unsigned*) = library_->find("nvmlDeviceGetTemperature");
  int (*clock_)(NvmlDevice, int, unsigned*) = library_->find("nvmlDeviceGetClockInfo");
  int (*limit_)(NvmlDevice, unsigned*) = library_->find("nvmlDeviceGetEnforcedPowerLimit");
  int (*clock_reasons_)(NvmlDevice,
                        unsigned long long*) = library_->find("nvmlDeviceGetCurrentClocksEventReasons",
                                                              "nvmlDeviceGetCurrentClocksThrottleReasons");
};

Measured<PowerSource> open_gpu(const std::shared_ptr<const NvmlPower>& nvml, const NvmlGpu& gpu) {
  const auto answers = [&](const PowerQuery& query) { return nvml->power(gpu.device, query).has_value(); };
  const auto* const found = std::ranges::find_if(kPowerQueries, answers);
  const bool has_power = found != kPowerQueries.end();
  const PowerQuery query = has_power ? *found : kPowerQueries.back();
  const PowerReading reading = nvml->read(gpu.device, query);
  if (!reading.energy.has_value() && !reading.power.has_value()) {
    return missing("{} reports neither energy nor power ({}, {}); update the driver", gpu.part,
                   reading.energy.reason(), reading.power.reason());
  }
  return PowerSource{
      {.meter = "nvml",
       .part = gpu.part,
       .scope = PowerScope::kGpuBoard,
       .power_quantity = has_power ? query.quantity : "",
       .averaging = query.averaging,
       .accuracy = "within 5 W (NVIDIA, manual of nvidia-smi); Fermi and Kepler within 5 % (nvml.h)",
       .gpu = gpu.identity},
      [nvml, gpu_device = gpu.device, query] { return nvml->read(gpu_device, query); }};
}

}  // namespace

PowerSources nvml_sources(const std::string& library_path, std::string& why_not) {
  PowerSources sources;
  const auto library = NvmlLibrary::load(library_path, why_not);
  if (library == nullptr) return sources;
  const auto nvml = std::make_shared<const NvmlPower>(library);
  for (const NvmlGpu& gpu : library->gpus(why_not)) {
    const Measured<PowerSource> source = open_gpu(nvml, gpu);
    if (source.has_value()) {
      sources.push_back(source.value());
    } else {
      why_not = source.reason();
    }
  }
  if (!sources.empty()) why_not.clear();
  return sources;
}

MeterEntry entry_nvml() {
  return {
      "nvml", "NVIDIA GPUs, through the driver's management library", true,
      [](const MeterRequest&, std::string& why_not) { return nvml_sources(NvmlLibrary::kName, why_not); }};
}

}  // namespace gpubench::nvml_plugin
