#pragma once
// Devices. Implementations: src/device, one file each. No LibTorch, so that tests can replace devices.

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
#include "gpubench/record/warning.h"

namespace gpubench {

struct CoreLimits;  // device/host/host.h

/// Recorded work that is launched as a whole, such as a CUDA graph. Must not outlive its device.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;

  /// Queues the work. Does not wait for the device.
  virtual void replay() = 0;

  /// Returns the number of kernels, copies and other nodes; 0 if unknown.
  virtual std::int64_t node_count() const { return 0; }
};

/// Time stamps in the queue of a device. Must not outlive the device.
class DeviceMarks {
 public:
  virtual ~DeviceMarks() = default;

  /// Queues mark `number`; recorded work repeats it in each replay. Does not wait.
  virtual void mark(std::size_t number) = 0;

  /// Returns the time from one mark to a later one. Call it after Device::synchronize().
  virtual Measured<Seconds> between(std::size_t from, std::size_t to) const = 0;
};

/// Time stamps of the host's clock, which must outlive them.
class ClockMarks : public DeviceMarks {
 public:
  ClockMarks(const Clock& clock, std::size_t count) : clock_(clock), times_(count) {}

  void mark(std::size_t number) override { times_.at(number) = clock_.now(); }
  Measured<Seconds> between(std::size_t from, std::size_t to) const override {
    return times_.at(to) - times_.at(from);
  }

 private:
  const Clock& clock_;
  std::vector<Seconds> times_;
};

/// An open device. Not thread-safe: only the thread that runs the cases calls it.
class Device {
 public:
  virtual ~Device() = default;

  /// Returns "cpu", "cuda:0" or "mps", as on the command line and in LibTorch's c10::Device.
  virtual std::string name() const = 0;

  /// Returns facts for the result file.
  virtual DeviceRecord record() const = 0;

  /// Waits until all queued work is done. gpubench waits for a device in no other way.
  virtual void synchronize() = 0;

  /// Returns the reason why `make_marks` is unsupported; empty if it is supported.
  virtual std::string why_no_marks() const { return "time stamps of steps need a CPU or an NVIDIA GPU"; }

  /// Returns true if marks use the clock of the device, false if they use the host's.
  virtual bool has_own_clock() const { return false; }

  /// Makes marks 0 to `count` - 1; nullptr if unsupported. The CPU uses `clock`, which outlives the marks.
  virtual std::unique_ptr<DeviceMarks> make_marks(const Clock& /*clock*/, std::size_t /*count*/) {
    return nullptr;
  }

  /// Returns the peak memory of tensors since `reset_peak_memory`, or since the start.
  virtual Measured<Bytes> peak_memory() const { return not_counted(); }

  /// Returns the peak memory of LibTorch's allocator since `reset_peak_memory`, unused blocks included.
  virtual Measured<Bytes> peak_reserved_memory() const { return not_counted(); }

  /// Resets `peak_memory`, `peak_reserved_memory` and `memory_warnings`.
  virtual void reset_peak_memory() {}

  /// Returns the current memory of tensors.
  virtual Measured<Bytes> held_memory() const { return not_counted(); }

  /// Returns the memory in use according to the driver, with other processes if the driver counts them.
  virtual Measured<Bytes> memory_in_use() const { return not_counted(); }

  /// Returns the free memory of the device. Unused blocks of LibTorch's allocator count as used.
  virtual Measured<Bytes> free_memory() const { return not_counted(); }

  /// Returns the reason why `record_graph` is unsupported; empty if it is supported.
  virtual std::string why_no_graph() const { return "graphs need an NVIDIA GPU"; }

  /// Records the work that `work` queues, without executing it. Tensors made by `work` keep their addresses.
  /// `warm_up` runs first, on the recording stream, and should run every kernel of `work`: kernel selection
  /// and first allocations cannot be recorded. Neither may wait for the device. Passes on LibTorch's
  /// exceptions; the device stays usable.
  virtual std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& /*warm_up*/,
                                                     const std::function<void()>& /*work*/) {
    throw std::logic_error(name() + " records no work: " + why_no_graph());
  }

  /// Records work, without warm-up, in the memory pool of `other`, a live recording of this device. A replay
  /// of either overwrites the tensors of the other.
  virtual std::unique_ptr<RecordedWork> record_beside(const RecordedWork& /*other*/,
                                                      const std::function<void()>& work) {
    return record_graph([] {}, work);
  }

  /// Returns unused blocks of LibTorch's allocator to the driver.
  virtual void free_spare_memory() {}

  /// Returns the reason why layout `auto` must not try channels-last; empty if it may.
  virtual std::string why_no_channels_last() const { return {}; }

  /// Returns warnings if low memory may have cost time since `reset_peak_memory`.
  virtual std::vector<Warning> memory_warnings() const { return {}; }

  /// Returns warnings about the current state of the device that may disturb a measurement.
  virtual std::vector<Warning> warnings() const { return {}; }

 private:
  static Missing not_counted() { return missing("not counted for this kind of device"); }
};

/// Catalog entry of a kind of device.
struct DeviceEntry {
  std::string name;     ///< "cuda".
  std::string summary;  ///< One line for `gpubench list`.
  bool has_index;       ///< True if names have an index: "cuda:1".

  /// Counts the usable devices of this kind. If 0, sets `why_not` to reason and remedy.
  int (*count)(std::string& why_not);

  /// Opens device `index`, from 0 to `count` - 1.
  std::unique_ptr<Device> (*open)(int index);
};

/// Returns all kinds in the order of src/device/catalog.def, which is the preference of `auto`.
const Catalog<DeviceEntry>& device_kinds();

/// Returns the full name: the preferred device for "auto", "cuda:0" for "cuda". Throws a usage Error for an
/// unknown name, and a device Error with the remedy for an absent device.
std::string resolve_device(const std::string& name);

/// Opens the device `name`. Throws as resolve_device() does.
std::unique_ptr<Device> open_device(const std::string& name);

/// Returns the names of all usable devices in order of preference.
std::vector<std::string> usable_devices();

/// Reads facts about host and libraries; `devices` and `datasets` stay empty.
Environment read_environment(const CoreLimits& limits);

/// Sets and returns the number of LibTorch's intra-op threads, within OpenMP's limit. 0 selects LibTorch's
/// default, limited to the available whole cores.
int set_threads(int threads, const CoreLimits& limits);

/// Allows or forbids TF32 in fp32 products and convolutions. Enables kernel selection by trial in cuDNN.
void allow_tf32(bool is_allowed);

}  // namespace gpubench
