#pragma once
// NVIDIA Management Library (NVML), loaded at run time without its header (types of nvml.h, API version 13).

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/gpu_identity.h"
#include "gpubench/core/measured.h"

namespace gpubench {

using NvmlDevice = struct nvmlDevice_st*;

/// nvmlFieldValue_t.
struct NvmlField {
  unsigned field_id;
  unsigned scope_id;
  long long timestamp;
  long long latency_microseconds;
  int value_type;
  int result;
  unsigned long long value;  // A union of numbers, on a little-endian machine.
};
static_assert(sizeof(NvmlField) == 40);

/// Common fields of all versions of nvmlPciInfo_t, padded to the longest version.
struct NvmlPciInfo {
  char old_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  char rest[64];
};

struct NvmlGpu {
  NvmlDevice device;
  GpuIdentity identity;
  std::string part;  ///< "GPU 1 NVIDIA H200".
};

/// The library, loaded for the lifetime of the object. Missing values have NVML's reason. Thread-safe.
class NvmlLibrary {
 public:
  static constexpr const char* kName = "libnvidia-ml.so.1";

  /// Returns nullptr and sets `why_not` to reason and remedy if the driver is missing or does not start.
  static std::shared_ptr<const NvmlLibrary> load(const std::string& path, std::string& why_not);

  explicit NvmlLibrary(void* handle) : library_(handle) {}
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  /// Returns the GPUs in the driver's order, by PCI address. Sets `why_not` if one does not answer.
  std::vector<NvmlGpu> gpus(std::string& why_not) const;

  /// Returns a field (NVML_FI_DEV_...); `what` names it in the reason.
  Measured<double> field(const std::string& what, NvmlDevice device, unsigned id) const;

  /// Address of a library function, convertible to a function pointer; null if the library lacks it.
  struct Symbol {
    void* address;

    template <class Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function*>(address);
    }
  };

  /// Returns the function `symbol`, or `older`, its name in older drivers.
  Symbol find(const char* symbol, const char* older = nullptr) const;

  /// Calls a function that fills `value`, its last argument. `what` names the value in the reason.
  template <class Value, class... Parameters, class... Arguments>
  Measured<Value> ask(const std::string& what, Value value, int (*function)(Parameters...),
                      Arguments... arguments) const {
    const int code = call(function, arguments..., &value);
    if (code != kSuccess) return why(what, code);
    return value;
  }

 private:
  static constexpr int kSuccess = 0;
  static constexpr int kFunctionNotFound = 13;

  template <class... Parameters, class... Arguments>
  static int call(int (*function)(Parameters...), Arguments... arguments) {
    return function == nullptr ? kFunctionNotFound : function(arguments...);
  }

  std::string text(int (*function)(NvmlDevice, char*, unsigned), NvmlDevice device) const;
  Missing why(const std::string& what, int code) const;

  // Null if this version of the driver lacks the function.
  void* library_;
  int (*init_)() = find("nvmlInit_v2");
  int (*shutdown_)() = find("nvmlShutdown");
  const char* (*error_string_)(int) = find("nvmlErrorString");
  int (*count_)(unsigned*) = find("nvmlDeviceGetCount_v2");
  int (*device_)(unsigned, NvmlDevice*) = find("nvmlDeviceGetHandleByIndex_v2");
  int (*name_)(NvmlDevice, char*, unsigned) = find("nvmlDeviceGetName");
  int (*uuid_)(NvmlDevice, char*, unsigned) = find("nvmlDeviceGetUUID");
  int (*pci_info_)(NvmlDevice, NvmlPciInfo*) = find("nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2");
  int (*field_values_)(NvmlDevice, int, NvmlField*) = find("nvmlDeviceGetFieldValues");
  int started_ = call(init_);
};

}  // namespace gpubench
