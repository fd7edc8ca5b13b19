#include "power/parts/nvml_library.h"

#include <dlfcn.h>

#include <array>

namespace gpubench {
namespace {

constexpr int kSuccess = 0;
constexpr int kFunctionNotFound = 13;
constexpr double kMilli = 1e-3;

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
    unsigned long as_unsigned_long;
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
    case 2:
      return static_cast<double>(field.value.as_unsigned_long);
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

template <class Function>
void resolve(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
}

}  // namespace

/// Null where the driver is too old to have it, or too new.
struct NvmlLibrary::Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, NvmlDevice*) = nullptr;
  int (*name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*energy)(NvmlDevice, unsigned long long*) = nullptr;
  int (*field_values)(NvmlDevice, int, FieldValue*) = nullptr;
  int (*power_usage)(NvmlDevice, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*limit)(NvmlDevice, unsigned*) = nullptr;
  int (*clock_reasons)(NvmlDevice, unsigned long long*) = nullptr;

  explicit Functions(void* library) {
    resolve(library, "nvmlInit_v2", init);
    resolve(library, "nvmlShutdown", shutdown);
    resolve(library, "nvmlErrorString", error_string);
    resolve(library, "nvmlDeviceGetCount_v2", count);
    resolve(library, "nvmlDeviceGetHandleByIndex_v2", device);
    resolve(library, "nvmlDeviceGetName", name);
    resolve(library, "nvmlDeviceGetUUID", uuid);
    resolve(library, "nvmlDeviceGetTotalEnergyConsumption", energy);
    resolve(library, "nvmlDeviceGetFieldValues", field_values);
    resolve(library, "nvmlDeviceGetPowerUsage", power_usage);
    resolve(library, "nvmlDeviceGetTemperature", temperature);
    resolve(library, "nvmlDeviceGetClockInfo", clock);
    resolve(library, "nvmlDeviceGetEnforcedPowerLimit", limit);
    resolve(library, "nvmlDeviceGetCurrentClocksEventReasons", clock_reasons);
    // What it was called in older drivers.
    if (clock_reasons == nullptr) {
      resolve(library, "nvmlDeviceGetCurrentClocksThrottleReasons", clock_reasons);
    }
  }
};

NvmlLibrary::NvmlLibrary() = default;

NvmlLibrary::~NvmlLibrary() {
  if (is_initialised_) call(functions_->shutdown);
  if (handle_ != nullptr) dlclose(handle_);
}

std::shared_ptr<const NvmlLibrary> NvmlLibrary::load(const std::string& path, std::string& why_not) {
  const std::shared_ptr<NvmlLibrary> library(new NvmlLibrary);
  library->handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle_ == nullptr) {
    why_not = std::string("no NVIDIA driver (") + dlerror() + ")";
    return nullptr;
  }
  library->functions_ = std::make_unique<Functions>(library->handle_);
  const int code = library->call(library->functions_->init);
  library->is_initialised_ = code == kSuccess;
  if (library->is_initialised_) return library;
  why_not = library->why("the NVIDIA driver does not start", code).reason;
  return nullptr;
}

template <class... Parameters, class... Arguments>
int NvmlLibrary::call(int (*function)(Parameters...), Arguments... arguments) const {
  return function == nullptr ? kFunctionNotFound : function(arguments...);
}

Absent NvmlLibrary::why(const std::string& what, int code) const {
  if (functions_->error_string == nullptr) return absent(what + ": NVML error " + std::to_string(code));
  return absent(what + ": " + functions_->error_string(code));
}

Reading<unsigned> NvmlLibrary::count() const {
  unsigned count = 0;
  const int code = call(functions_->count, &count);
  if (code != kSuccess) return why("the number of GPUs", code);
  return count;
}

Reading<NvmlDevice> NvmlLibrary::device(unsigned index) const {
  NvmlDevice device = nullptr;
  const int code = call(functions_->device, index, &device);
  if (code != kSuccess) return why("GPU " + std::to_string(index), code);
  return device;
}

Reading<std::string> NvmlLibrary::name(NvmlDevice device) const {
  std::array<char, 96> text{};
  const int code = call(functions_->name, device, text.data(), static_cast<unsigned>(text.size()));
  if (code != kSuccess) return why("name", code);
  return std::string(text.data());
}

Reading<std::string> NvmlLibrary::uuid(NvmlDevice device) const {
  std::array<char, 96> text{};
  const int code = call(functions_->uuid, device, text.data(), static_cast<unsigned>(text.size()));
  if (code != kSuccess) return why("UUID", code);
  return std::string(text.data());
}

Reading<Joules> NvmlLibrary::energy(NvmlDevice device) const {
  unsigned long long millijoules = 0;
  const int code = call(functions_->energy, device, &millijoules);
  if (code != kSuccess) return why("energy counter", code);
  return Joules{static_cast<double>(millijoules) * kMilli};
}

Reading<Watts> NvmlLibrary::power(NvmlDevice device, NvmlPowerField field) const {
  FieldValue value{};
  value.field_id = static_cast<unsigned>(field);
  const int code = call(functions_->field_values, device, 1, &value);
  // The call succeeds even where the field does not.
  if (code != kSuccess || value.result != kSuccess)
    return why("power", code != kSuccess ? code : value.result);
  return Watts{number_in(value) * kMilli};
}

Reading<Watts> NvmlLibrary::power_usage(NvmlDevice device) const {
  unsigned milliwatts = 0;
  const int code = call(functions_->power_usage, device, &milliwatts);
  if (code != kSuccess) return why("power", code);
  return Watts{milliwatts * kMilli};
}

Reading<Celsius> NvmlLibrary::temperature(NvmlDevice device) const {
  constexpr int kOfProcessor = 0;
  unsigned degrees = 0;
  const int code = call(functions_->temperature, device, kOfProcessor, &degrees);
  if (code != kSuccess) return why("temperature", code);
  return Celsius{static_cast<double>(degrees)};
}

Reading<Hertz> NvmlLibrary::clock(NvmlDevice device) const {
  constexpr int kOfMultiprocessors = 1;
  unsigned megahertz = 0;
  const int code = call(functions_->clock, device, kOfMultiprocessors, &megahertz);
  if (code != kSuccess) return why("clock", code);
  return Hertz{megahertz * 1e6};
}

Reading<Watts> NvmlLibrary::limit(NvmlDevice device) const {
  unsigned milliwatts = 0;
  const int code = call(functions_->limit, device, &milliwatts);
  if (code != kSuccess) return why("power limit", code);
  return Watts{milliwatts * kMilli};
}

Reading<std::uint64_t> NvmlLibrary::clock_reasons(NvmlDevice device) const {
  unsigned long long reasons = 0;
  const int code = call(functions_->clock_reasons, device, &reasons);
  if (code != kSuccess) return why("clock reasons", code);
  return std::uint64_t{reasons};
}

}  // namespace gpubench
