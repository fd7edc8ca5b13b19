#pragma once
// A device that trains: how to find it, name it and wait for it. Implementations live in src/device, one file
// each. No LibTorch in this header, so that timing code is testable without it.

#include <memory>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/core/reading.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// One device in use. Not thread-safe: the thread that runs the cases is the only caller.
class Device {
 public:
  virtual ~Device() = default;

  /// "cpu", "cuda:0", "mps": as on the command line, and as LibTorch's c10::Device reads it.
  virtual std::string name() const = 0;

  /// Facts for the result file.
  virtual DeviceRecord record() const = 0;

  /// Returns when all work queued on the device is done. The only way in which gpubench waits for a device.
  virtual void synchronize() = 0;

  /// Most memory that tensors held on the device at once since `reset_peak_memory`, or since the start.
  virtual Reading<Bytes> peak_memory() const { return absent("this kind of device does not tell"); }

  /// Starts the count of `peak_memory` anew.
  virtual void reset_peak_memory() {}

  /// Memory of the device that nobody uses now. The caching allocator's spare blocks count as used.
  virtual Reading<Bytes> free_memory() const { return absent("this kind of device does not tell"); }

  /// What on the device may disturb a measurement now: one sentence each, with figures.
  virtual std::vector<std::string> warnings() const { return {}; }
};

/// A kind of device that this build knows.
struct DeviceEntry {
  std::string name;     ///< "cuda".
  std::string summary;  ///< One line for `gpubench list`.
  bool has_index;       ///< Whether there may be several: "cuda:1".

  /// How many devices of this kind are usable now; where it is 0, `why_not` says why and what helps.
  int (*count)(std::string& why_not);

  /// Opens device `index`, which is below `count`.
  std::unique_ptr<Device> (*open)(int index);
};

/// All kinds in the order of src/device/catalog.def, which is also the order in which `auto` prefers them.
const Catalog<DeviceEntry>& device_kinds();

/// The full name that `name` stands for: "auto" becomes the preferred device, "cuda" becomes "cuda:0".
/// Throws a usage Error for an unknown name and a device Error, with the remedy, for one that is absent.
std::string resolve_device(const std::string& name);

/// Opens the device of that name; accepts and throws what resolve_device does.
std::unique_ptr<Device> open_device(const std::string& name);

/// Names of every device that is usable now, in the order of preference.
std::vector<std::string> usable_devices();

/// Facts about host and libraries. Devices and datasets are left empty. `threads` is what LibTorch uses now.
Environment read_environment();

/// Sets LibTorch's intra-op threads; 0 means LibTorch's own choice, but no more than the cores available.
/// Returns the number in force.
int set_threads(int threads);

/// Strict fp32: no TF32 in matrix products or convolutions; kernel selection of cuDNN by trial.
void set_strict_fp32();

}  // namespace gpubench
