#pragma once
// Runs rows in another process or in this one, with or without energy measurement.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/api/engine.h"
#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "gpubench/record/run_record.h"
#include "power/trace/sampler.h"

namespace gpubench {

/// Progress of a sweep, on its thread. steps_finished() may run inside timed windows.
template <class Row>
class Progress {
 public:
  virtual ~Progress() = default;

  /// Row `index` of `count` (from 0) begins; `planned` has no measurements.
  virtual void row_started(const Row& planned, std::size_t index, std::size_t count) = 0;
  /// Number of further steps of the case.
  virtual void steps_finished(std::int64_t) {}
  virtual void row_finished(const Row& row) = 0;
};

class Interrupts {
 public:
  virtual ~Interrupts() = default;
  virtual int count() = 0;
  /// Readable from an interrupt until the next call of count(); may be -1.
  virtual int wake_descriptor() const = 0;
};

/// Callback interface of a running row, on one thread. Operations are too short for stop_request().
class RowControl : public CaseMonitor {
 public:
  virtual bool must_abort() { return false; }
  /// Adds descriptors that become readable on an abort or stop; without any, both are polled every second.
  virtual void add_wake_descriptors(std::vector<int>& /*to*/) const {}
};

/// Control of trials: the first interrupt ends them at once, as does `is_over`.
class TrialControl : public RowControl {
 public:
  explicit TrialControl(Interrupts& interrupts, std::function<bool()> is_over = {})
      : interrupts_(interrupts), is_over_(std::move(is_over)) {}
  bool must_abort() override { return interrupts_.count() > 0 || (is_over_ && is_over_()); }
  void add_wake_descriptors(std::vector<int>& to) const override {
    to.push_back(interrupts_.wake_descriptor());
  }

 private:
  Interrupts& interrupts_;
  std::function<bool()> is_over_;
};

struct PilotResult {
  Pilot pilot;
  Seconds process;            ///< Start, pilot and end of its process.
  Measured<Bytes> peak_host;  ///< Largest resident set of its process.
};

/// Runs an operation. Always returns a row; one that ends its process has a status for that.
using OpExecutor = std::function<OpRecord(const OpWork& work, RowControl& control)>;

class CaseExecutor {
 public:
  virtual ~CaseExecutor() = default;
  /// As an OpExecutor.
  virtual CaseRecord run(const Case& c, RowControl& control) = 0;
  /// Runs a few steps of the case. A failure is in the pilot's status.
  virtual PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) = 0;
};

using Datasets = std::map<std::string, Dataset>;

struct ExecutionOptions {
  int threads = 0;                    ///< See Engine::configure.
  std::optional<Seconds> timeout;     ///< Of a row; of a case from the start of its process on.
  std::optional<Bytes> memory_limit;  ///< Host memory that a case may allocate; unset: the free memory.
  bool reports_steps = false;
};

// Runs rows in this process: no timeout, no memory limit. References outlive the executor.
std::unique_ptr<CaseExecutor> make_local_executor(const Engine& engine, const Datasets& datasets,
                                                  const Clock& clock);
OpExecutor make_local_op_executor(const Engine& engine, const Clock& clock);

/// Devices of this process, opened at first use. The engine outlives it.
class OpenDevices {
 public:
  explicit OpenDevices(const Engine& engine) : engine_(engine) {}
  Device& at(const std::string& name) {
    auto& device = devices_[name];
    if (!device) device = engine_.open_device(name);
    return *device;
  }

 private:
  const Engine& engine_;
  std::map<std::string, std::unique_ptr<Device>> devices_;
};

/// Runs an operation here. Throws a usage Error for one that the engine does not have.
OpRecord run_here(const OpWork& work, const Engine& engine, OpenDevices& devices, const Clock& clock);

struct MeteringOptions {
  Seconds idle{2};  ///< Length of the idle measurement before and after each case, of flat power; 0: none.
  std::string why_none{};  ///< Reason for rows without energy, if nothing is measured.
};

/// Waits on the clock; tests move a fake one.
using Sleep = std::function<void(Seconds)>;

/// Adds the energy of each source, or the reason without a sampler. Measures idle power once between two
/// cases. All but `inner` and `sleep` outlive the executor.
std::unique_ptr<CaseExecutor> make_metered_executor(std::unique_ptr<CaseExecutor> inner,
                                                    PowerSampler* sampler, const Clock& clock,
                                                    const MeteringOptions& options, Sleep sleep);

}  // namespace gpubench
