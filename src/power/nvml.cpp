#include <dlfcn.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "power/entries.h"
#include "power/sources.h"

namespace gpubench {
namespace {

constexpr int kSuccess = 0;
constexpr int kFunctionNotFound = 13;
constexpr double kMilli = 1e-3;

/// A GPU to NVML.
using NvmlDevice = struct nvmlDevice_st*;

/// nvmlFieldValue_t.
struct FieldValue {
  unsigned field_id;
  unsigned scope_id;
  long long timestamp;
  long long latency_microseconds;
  int value_type;
  int result;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long long as_unsigned_long_long;
    long long as_long_long;
    int as_int;
    unsigned short as_unsigned_short;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

/// nvmlValueType_t says which member holds the number.
double number_in(const FieldValue& field) {
  switch (field.value_type) {
    case 0:
      return field.value.as_double;
    case 2:  // unsigned long, which is as long as the next
    case 3:
      return static_cast<double>(field.value.as_unsigned_long_long);
    case 4:
      return static_cast<double>(field.value.as_long_long);
    case 5:
      return field.value.as_int;
    case 6:
      return field.value.as_unsigned_short;
    default:
      return field.value.as_unsigned;
  }
}

/// A function of a library, whatever its type; null where the library lacks it.
struct Symbol {
  void* address;

  template <class Function>
  operator Function*() const {  // NOLINT(google-explicit-constructor)
    return reinterpret_cast<Function*>(address);
  }
};

/// How a GPU tells its power: a field that holds mW, or 0 for the call that all drivers have.
struct PowerQuery {
  unsigned field;
  const char* quantity;
  Seconds averaging;
};

/// The best first. Drivers too old for the fields do not tell which of both their figure is.
constexpr std::array<PowerQuery, 3> kPowerQueries = {
    {{186, "instantaneous power", {0}},      // NVML_FI_DEV_POWER_INSTANT
     {185, "power averaged over 1 s", {1}},  // NVML_FI_DEV_POWER_AVERAGE
     {0, "power, instantaneous or averaged over 1 s", {0}}}};

/// NVIDIA's management library (NVML), loaded and initialised, without its header: the library comes with the
/// driver, and many machines have neither. Types and numbers are those of nvml.h, API version 13. What a
/// driver or a GPU does not offer reads as absent, with NVML's reason.
class NvmlLibrary {
 public:
  /// Sets `why_not` and returns nullptr where there is no driver.
  static std::shared_ptr<const NvmlLibrary> load(const std::string& path, std::string& why_not) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      why_not = std::string("no NVIDIA driver (") + dlerror() + ")";
      return nullptr;
    }
    auto library = std::make_shared<const NvmlLibrary>(handle);
    if (library->started_ == kSuccess) return library;
    why_not = library->why("the NVIDIA driver does not start", library->started_).reason;
    return nullptr;
  }

  explicit NvmlLibrary(void* handle) : library_(handle) {}
  ~NvmlLibrary() {
    if (started_ == kSuccess) call(shutdown_);
    dlclose(library_);
  }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  Reading<unsigned> count() const { return ask("the number of GPUs", 0U, count_); }
  Reading<NvmlDevice> device(unsigned index) const {
    return ask(fmt::format("GPU {}", index), NvmlDevice{}, device_, index);
  }
  /// Empty where the driver does not tell; uuid() likewise.
  std::string name(NvmlDevice device) const { return text(name_, device); }
  std::string uuid(NvmlDevice device) const { return text(uuid_, device); }

  /// The energy is that since the driver was loaded, the limit the one in force.
  PowerReading read(NvmlDevice device, const PowerQuery& query) const {
    constexpr int kOfProcessor = 0;
    constexpr int kOfMultiprocessors = 1;
    PowerReading reading{scaled<Joules>(ask("energy counter", 0ULL, energy_, device), kMilli),
                         power(device, query),
                         scaled<Celsius>(ask("temperature", 0U, temperature_, device, kOfProcessor), 1),
                         scaled<Hertz>(ask("clock", 0U, clock_, device, kOfMultiprocessors), 1e6),
                         scaled<Watts>(ask("power limit", 0U, limit_, device), kMilli)};
    const auto reasons = ask("clock reasons", 0ULL, clock_reasons_, device);
    if (reasons.has_value()) reading.throttle = throttle_words(reasons.value());
    return reading;
  }
  Reading<Watts> power(NvmlDevice device, const PowerQuery& query) const {
    if (query.field == 0) return scaled<Watts>(ask("power", 0U, power_usage_, device), kMilli);
    FieldValue asked{};
    asked.field_id = query.field;
    return ask("power", asked, field_values_, device, 1).then([&](const FieldValue& told) -> Reading<Watts> {
      // The call succeeds even where the field does not.
      if (told.result != kSuccess) return why("power", told.result);
      return Watts{number_in(told) * kMilli};
    });
  }

 private:
  template <class... Parameters, class... Arguments>
  static int call(int (*function)(Parameters...), Arguments... arguments) {
    return function == nullptr ? kFunctionNotFound : function(arguments...);
  }

  /// `value` after the function has filled it, which it takes as its last argument.
  template <class Value, class... Parameters, class... Arguments>
  Reading<Value> ask(const std::string& what, Value value, int (*function)(Parameters...),
                     Arguments... arguments) const {
    const int code = call(function, arguments..., &value);
    if (code != kSuccess) return why(what, code);
    return value;
  }

  std::string text(int (*function)(NvmlDevice, char*, unsigned), NvmlDevice device) const {
    std::array<char, 96> text{};
    const int code = call(function, device, text.data(), static_cast<unsigned>(text.size()));
    return code == kSuccess ? text.data() : "";
  }

  Absent why(const std::string& what, int code) const {
    return absent("{}: {}", what, error_string_ ? error_string_(code) : fmt::format("NVML error {}", code));
  }

  /// `older`: what it was called in older drivers.
  Symbol find(const char* symbol, const char* older = nullptr) const {
    void* const address = dlsym(library_, symbol);
    return {address == nullptr && older != nullptr ? dlsym(library_, older) : address};
  }

  // Null where the driver is too old to have the function, or too new.
  void* library_;
  int (*init_)() = find("nvmlInit_v2");
  int (*shutdown_)() = find("nvmlShutdown");
  const char* (*error_string_)(int) = find("nvmlErrorString");
  int (*count_)(unsigned*) = find("nvmlDeviceGetCount_v2");
  int (*device_)(unsigned, NvmlDevice*) = find("nvmlDeviceGetHandleByIndex_v2");
  int (*name_)(NvmlDevice, char*, unsigned) = find("nvmlDeviceGetName");
  int (*uuid_)(NvmlDevice, char*, unsigned) = find("nvmlDeviceGetUUID");
  int (*energy_)(NvmlDevice, unsigned long long*) = find("nvmlDeviceGetTotalEnergyConsumption");
  int (*field_values_)(NvmlDevice, int, FieldValue*) = find("nvmlDeviceGetFieldValues");
  int (*power_usage_)(NvmlDevice, unsigned*) = find("nvmlDeviceGetPowerUsage");
  int (*temperature_)(NvmlDevice, int, unsigned*) = find("nvmlDeviceGetTemperature");
  int (*clock_)(NvmlDevice, int, unsigned*) = find("nvmlDeviceGetClockInfo");
  int (*limit_)(NvmlDevice, unsigned*) = find("nvmlDeviceGetEnforcedPowerLimit");
  int (*clock_reasons_)(NvmlDevice, unsigned long long*) = find("nvmlDeviceGetCurrentClocksEventReasons",
                                                                "nvmlDeviceGetCurrentClocksThrottleReasons");
  int started_ = call(init_);
};

using Library = std::shared_ptr<const NvmlLibrary>;

struct ClockReason {
  std::uint64_t bit;
  const char* word;
};

/// nvmlClocksEventReasons, but 0x1: a GPU without work is not held down.
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
/// The slowdown of 0x8 has these for its reason.
constexpr std::uint64_t kSlowdown = 0x008;
constexpr std::uint64_t kReasonsOfSlowdown = 0x040 | 0x080;

/// A GPU that the driver lists.
struct FoundGpu {
  NvmlDevice device;
  ListedGpu listed;
  std::string part;
};

/// In the driver's order; `why_not` names one that does not answer.
std::vector<FoundGpu> find_gpus(const NvmlLibrary& library, std::string& why_not) {
  std::vector<FoundGpu> gpus;
  const Reading<unsigned> count = library.count();
  why_not = count.has_value() ? "the NVIDIA driver lists no GPU" : count.reason();
  for (unsigned index = 0; count.has_value() && index < count.value(); ++index) {
    const Reading<NvmlDevice> device = library.device(index);
    if (device.has_value()) {
      const std::string name = library.name(device.value());
      const std::string part = fmt::format("GPU {}{}{}", index, name.empty() ? "" : " ", name);
      gpus.push_back({device.value(), {name, library.uuid(device.value())}, part});
    } else {
      why_not = device.reason();
    }
  }
  return gpus;
}

/// Absent, with the reason, where the GPU tells neither energy nor power.
Reading<PowerSource> open_gpu(const Library& library, const FoundGpu& gpu, const std::string& device) {
  const auto answers = [&](const PowerQuery& query) { return library->power(gpu.device, query).has_value(); };
  const auto* const found = std::ranges::find_if(kPowerQueries, answers);
  const bool has_power = found != kPowerQueries.end();
  const PowerQuery query = has_power ? *found : kPowerQueries.back();
  const PowerReading reading = library->read(gpu.device, query);
  if (!reading.energy.has_value() && !reading.power.has_value()) {
    return absent("{}: {}; {}", gpu.part, reading.energy.reason(), reading.power.reason());
  }
  return PowerSource{
      {.meter = "nvml",
       .part = gpu.part,
       .device = device,
       .scope = PowerScope::kGpuBoard,
       .power_quantity = has_power ? query.quantity : "",
       .averaging = query.averaging,
       .accuracy = "within 5 W (NVIDIA, manual of nvidia-smi); Fermi and Kepler within 5 % (nvml.h)"},
      [library, gpu_device = gpu.device, query] { return library->read(gpu_device, query); }};
}

PowerSources open(const MeterRequest&, std::string& why_not) {
  return nvml_sources("libnvidia-ml.so.1", cuda_variables(), why_not);
}

}  // namespace

std::string throttle_words(std::uint64_t clock_reasons) {
  if ((clock_reasons & kReasonsOfSlowdown) != 0) clock_reasons &= ~kSlowdown;
  std::vector<std::string> words;
  for (const auto& [bit, word] : kClockReasons) {
    const bool is_new = std::ranges::find(words, word) == words.end();
    if ((clock_reasons & bit) != 0 && is_new) words.emplace_back(word);
  }
  return join(words);
}

PowerSources nvml_sources(const std::string& library_path, const CudaVariables& variables,
                          std::string& why_not) {
  PowerSources sources;
  const Library library = NvmlLibrary::load(library_path, why_not);
  if (library == nullptr) return sources;
  const std::vector<FoundGpu> gpus = find_gpus(*library, why_not);
  const auto devices = cuda_devices(mapped(gpus, &FoundGpu::listed), variables);
  if (!gpus.empty()) why_not = "CUDA_VISIBLE_DEVICES leaves no GPU";
  for (std::size_t index = 0; index < gpus.size(); ++index) {
    if (!devices[index].has_value()) continue;
    const Reading<PowerSource> source = open_gpu(library, gpus[index], *devices[index]);
    if (source.has_value()) {
      sources.push_back(source.value());
    } else {
      why_not = source.reason();
    }
  }
  if (!sources.empty()) why_not.clear();
  return sources;
}

MeterEntry entry_nvml() { return {"nvml", "NVIDIA GPUs, from the driver's management library", true, open}; }

}  // namespace gpubench
