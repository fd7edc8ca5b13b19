#pragma once
// A device that trains. Implementations: src/device, one file each. No LibTorch, for tests of timing code.

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

struct CoreLimits;  // device/host/host.h

/// Work that a device recorded, to be launched as a whole. Must not outlive its device.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;

  /// Queues all of it. Does not wait for the device.
  virtual void replay() = 0;

  /// Counts kernels, copies and the like in it; 0 if unknown.
  virtual std::int64_t node_count() const { return 0; }
};

/// Time stamps in the work that is queued on a device. Must not outlive its device.
class DeviceMarks {
 public:
  virtual ~DeviceMarks() = default;

  /// Moves mark `number` to the end of what is queued so far, in recorded work with each replay. Never waits.
  virtual void mark(std::size_t number) = 0;

  /// Returns the time from one mark to a later one. Call it when the device has been waited for.
  virtual Measured<Seconds> between(std::size_t from, std::size_t to) const = 0;
};

/// One device in use. Not thread-safe: the thread that runs the cases is the only caller.
class Device {
 public:
  virtual ~Device() = default;

  /// Returns "cpu", "cuda:0" or "mps": as on the command line, and as LibTorch's c10::Device reads it.
  virtual std::string name() const = 0;

  /// Returns facts for the result file.
  virtual DeviceRecord record() const = 0;

  /// Returns when all work queued on the device is done. The only way in which gpubench waits for a device.
  virtual void synchronize() = 0;

  /// Returns the reason why `make_marks` cannot be used; empty if it can.
  virtual std::string why_no_marks() const { return "time stamps of steps need a CPU or an NVIDIA GPU"; }

  /// Returns true if marks are on the device's own clock, not on that of the host.
  virtual bool has_own_clock() const { return false; }

  /// Makes marks 0 to `count` - 1; nullptr if unsupported. `clock`, for the CPU, outlives the marks.
  virtual std::unique_ptr<DeviceMarks> make_marks(const Clock& /*clock*/, std::size_t /*count*/) {
    return nullptr;
  }

  /// Returns the most memory that tensors held at once since `reset_peak_memory`, or since the start.
  virtual Measured<Bytes> peak_memory() const { return not_counted(); }

  /// Returns the most memory that LibTorch's allocator held at once since then, spare blocks included.
  virtual Measured<Bytes> peak_reserved_memory() const { return not_counted(); }

  /// Resets the counts of `peak_memory`, `peak_reserved_memory` and `memory_warnings`.
  virtual void reset_peak_memory() {}

  /// Returns the memory that tensors hold now.
  virtual Measured<Bytes> held_memory() const { return not_counted(); }

  /// Returns the memory that the driver sees in use now, by other processes too if it counts these.
  virtual Measured<Bytes> memory_in_use() const { return not_counted(); }

  /// Returns the free memory of the device. The caching allocator's spare blocks count as used.
  virtual Measured<Bytes> free_memory() const { return not_counted(); }

  /// Returns the reason why `record_graph` cannot be used; empty if it can.
  virtual std::string why_no_graph() const { return "graphs need an NVIDIA GPU"; }

  /// Records what `work` queues, without doing it; tensors that `work` made stay where they are. `warm_up` is
  /// done before, on the stream of the recording, and should run every kernel of `work`, whose selection and
  /// first allocations cannot be recorded. Neither may wait for the device. Throws what LibTorch throws;
  /// the device can be used afterwards as before.
  virtual std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& /*warm_up*/,
                                                     const std::function<void()>& /*work*/) {
    throw std::logic_error(name() + " records no work: " + why_no_graph());
  }

  /// Records work that needs no warm-up in the memory of `other`, a living recording of this device: a replay
  /// of one overwrites the tensors that the other made.
  virtual std::unique_ptr<RecordedWork> record_beside(const RecordedWork& /*other*/,
                                                      const std::function<void()>& work) {
    return record_graph([] {}, work);
  }

  /// Returns the spare blocks of LibTorch's allocator to the driver.
  virtual void free_spare_memory() {}

  /// Returns the reason why the layout `auto` must not try channels-last; empty if it may.
  virtual std::string why_no_channels_last() const { return {}; }

  /// Warns if memory was so short since `reset_peak_memory` that it may have cost time.
  virtual std::vector<Warning> memory_warnings() const { return {}; }

  /// Warns of anything on the device that may disturb a measurement now.
  virtual std::vector<Warning> warnings() const { return {}; }

 private:
  static Missing not_counted() { return missing("not counted for this kind of device"); }
};

/// A kind of device that this build knows.
struct DeviceEntry {
  std::string name;     ///< "cuda".
  std::string summary;  ///< One line for `gpubench list`.
  bool has_index;       ///< Whether there may be several: "cuda:1".

  /// Counts the usable devices of this kind; for 0, `why_not` gets the reason and the remedy.
  int (*count)(std::string& why_not);

  /// Opens device `index`, which is below `count`.
  std::unique_ptr<Device> (*open)(int index);
};

/// Returns all kinds in the order of src/device/catalog.def, in which `auto` prefers them.
const Catalog<DeviceEntry>& device_kinds();

/// Returns the full name: the preferred device for "auto", "cuda:0" for "cuda". Throws a usage Error for an
/// unknown name and a device Error, with the remedy, for one that is absent.
std::string resolve_device(const std::string& name);

/// Opens the device of that name; accepts and throws what resolve_device does.
std::unique_ptr<Device> open_device(const std::string& name);

/// Returns the names of all usable devices, in the order of preference.
std::vector<std::string> usable_devices();

/// Reads facts about host and libraries, without devices and datasets. `threads` is what LibTorch uses now.
Environment read_environment(const CoreLimits& limits);

/// Sets LibTorch's intra-op threads within OpenMP's limit; 0: its own choice, at most the whole cores
/// available. Returns the number in force.
int set_threads(int threads, const CoreLimits& limits);

/// Lets fp32 products and convolutions use TF32, or makes them strict; cuDNN selects kernels by trial.
void allow_tf32(bool is_allowed);

}  // namespace gpubench
