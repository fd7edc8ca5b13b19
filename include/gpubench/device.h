#pragma once
// A device that trains: how to find it, name it and wait for it. Implementations live in src/device, one file
// each. No LibTorch in this header, so that timing code is testable without it.

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"

namespace gpubench {

struct CoreLimits;    // device/host/host.h
struct DeviceRecord;  // record/environment.h
struct Environment;

/// Work that a device recorded, to be launched as a whole. Must not outlive its device.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;

  /// Queues all of it. Does not wait for the device.
  virtual void replay() = 0;

  /// Kernels, copies and the like in it, of which an operation of LibTorch may have many; 0 where unknown.
  virtual std::int64_t node_count() const { return 0; }
};

/// The device's own clock, for work that is queued between `start` and `stop`. Must not outlive its device.
class DeviceTimer {
 public:
  virtual ~DeviceTimer() = default;
  virtual void start() = 0;
  virtual void stop() = 0;

  /// From `start` to `stop`; waits until the device has got there.
  virtual Seconds elapsed() = 0;
};

/// When a device gets to places of what is queued on it, on its own clock. Must not outlive its device.
class DeviceMarks {
 public:
  virtual ~DeviceMarks() = default;

  /// Marks the end of what is queued so far, as `number`, which moves there. While work is recorded, the mark
  /// becomes a part of it, and moves with each replay. Does not wait for the device and costs it a
  /// microsecond or less.
  virtual void mark(std::size_t number) = 0;

  /// From one mark to a later one. Call it when the device has been waited for.
  virtual Measured<Seconds> between(std::size_t from, std::size_t to) const = 0;
};

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

  /// nullptr where the device has no clock of its own.
  virtual std::unique_ptr<DeviceTimer> make_timer() { return nullptr; }

  /// Why `make_marks` cannot be used; empty where it can.
  virtual std::string why_no_marks() const { return "time stamps of steps need a CPU or an NVIDIA GPU"; }

  /// Marks 0 to `count` - 1. A device whose work is done when it is queued reads `clock`, which outlives
  /// them. nullptr where there are none.
  virtual std::unique_ptr<DeviceMarks> make_marks(const Clock& /*clock*/, std::size_t /*count*/) {
    return nullptr;
  }

  /// Most memory that tensors held on the device at once since `reset_peak_memory`, or since the start.
  virtual Measured<Bytes> peak_memory() const { return missing("this kind of device does not tell"); }

  /// Most memory that LibTorch's allocator took from the driver at once since then, spare blocks included.
  virtual Measured<Bytes> peak_reserved_memory() const {
    return missing("this kind of device does not tell");
  }

  /// Starts the counts of `peak_memory`, `peak_reserved_memory` and `memory_warnings` anew.
  virtual void reset_peak_memory() {}

  /// Memory that tensors hold now.
  virtual Measured<Bytes> held_memory() const { return missing("this kind of device does not tell"); }

  /// Memory that the driver sees in use now, that of other processes included where it tells of them.
  virtual Measured<Bytes> memory_in_use() const { return missing("this kind of device does not tell"); }

  /// Memory of the device that nobody uses now. The caching allocator's spare blocks count as used.
  virtual Measured<Bytes> free_memory() const { return missing("this kind of device does not tell"); }

  /// Why `record_graph` cannot be used; empty where it can.
  virtual std::string why_no_graph() const { return "graphs need an NVIDIA GPU"; }

  /// Records what `work` queues, without doing it; tensors that `work` made stay where they are. `warm_up` is
  /// done before, on the stream of the recording, and should run every kernel of `work`, whose selection and
  /// first allocations cannot be recorded. Neither may wait for the device. Throws what LibTorch throws; the
  /// device can be used afterwards as before.
  virtual std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& /*warm_up*/,
                                                     const std::function<void()>& /*work*/) {
    throw std::logic_error(name() + " records no work: " + why_no_graph());
  }

  /// The same for work that needs no warm-up of its own, in the memory of `other`, a recording of this device
  /// that is still there: what either of them left in tensors of its own, a replay of the other overwrites.
  virtual std::unique_ptr<RecordedWork> record_beside(const RecordedWork& /*other*/,
                                                      const std::function<void()>& work) {
    return record_graph([] {}, work);
  }

  /// Gives the driver back what LibTorch's allocator keeps spare.
  virtual void free_spare_memory() {}

  /// Why the layout `auto` must not try channels-last; empty where it may.
  virtual std::string why_no_channels_last() const { return {}; }

  /// Whether memory was so short since `reset_peak_memory` that it may have cost time.
  virtual std::vector<Warning> memory_warnings() const { return {}; }

  /// What on the device may disturb a measurement now.
  virtual std::vector<Warning> warnings() const { return {}; }
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
Environment read_environment(const CoreLimits& limits);

/// Sets LibTorch's intra-op threads, as far as OpenMP's limit allows; 0 means LibTorch's own choice, but no
/// more than the whole cores available. Returns the number in force.
int set_threads(int threads, const CoreLimits& limits);

/// Whether matrix products and convolutions of fp32 may use TF32; without, they are strict. cuDNN selects its
/// kernels by trial either way.
void allow_tf32(bool is_allowed);

}  // namespace gpubench
