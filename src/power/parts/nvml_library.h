#pragma once
// The functions of NVIDIA's management library (NVML) that meters need, without its header: the library comes
// with the driver, and many machines have neither. Types and numbers are those of nvml.h, API version 13.

#include <cstdint>
#include <memory>
#include <string>

#include "gpubench/core/reading.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// A GPU to NVML.
using NvmlDevice = struct nvmlDevice_st*;

/// Ids of fields that hold power, in mW.
enum class NvmlPowerField : unsigned {
  kAverage = 185,  ///< NVML_FI_DEV_POWER_AVERAGE: over one second.
  kInstant = 186,  ///< NVML_FI_DEV_POWER_INSTANT.
};

/// A loaded and initialised NVML. What a driver or a GPU does not offer reads as absent, with NVML's reason.
class NvmlLibrary {
 public:
  /// Sets `why_not` and returns nullptr where there is no driver.
  static std::shared_ptr<const NvmlLibrary> load(const std::string& path, std::string& why_not);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  Reading<unsigned> count() const;
  Reading<NvmlDevice> device(unsigned index) const;
  Reading<std::string> name(NvmlDevice device) const;
  Reading<std::string> uuid(NvmlDevice device) const;

  Reading<Joules> energy(NvmlDevice device) const;  ///< Since the driver was loaded.
  Reading<Watts> power(NvmlDevice device, NvmlPowerField field) const;
  Reading<Watts> power_usage(NvmlDevice device) const;  ///< Average or instantaneous, as the GPU has it.
  Reading<Celsius> temperature(NvmlDevice device) const;
  Reading<Hertz> clock(NvmlDevice device) const;  ///< Of the multiprocessors.
  Reading<Watts> limit(NvmlDevice device) const;  ///< The one in force.
  /// Bits of nvmlClocksEventReasons: what holds the clocks down.
  Reading<std::uint64_t> clock_reasons(NvmlDevice device) const;

 private:
  struct Functions;
  NvmlLibrary();

  template <class... Parameters, class... Arguments>
  int call(int (*function)(Parameters...), Arguments... arguments) const;
  Absent why(const std::string& what, int code) const;

  void* handle_ = nullptr;
  std::unique_ptr<Functions> functions_;
  bool is_initialised_ = false;
};

}  // namespace gpubench
