#pragma once
// Interface of the engine library. It is loaded on demand to keep help, plans and supervisors small.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/api/model_cost.h"
#include "engine/api/peak.h"
#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"
#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"
#include "power/trace/diagnosis.h"

namespace gpubench {

struct CoreLimits;  // device/host/host.h

/// Runs one collective at one size. All ranks run the same rows in the same order; the first row joins the
/// group. Failures are in the status. Not thread-safe.
using Network = std::function<OpRecord(const OpWork& work)>;

/// `monitor` is notified of a lost connection. `device`, `clock` and `monitor` outlive the network.
Network join_network(const RankContext& context, Device& device, const Clock& clock, CaseMonitor& monitor);

/// A check of `gpubench selftest`; see docs/checking-a-device.md.
struct CheckInfo {
  std::string name;
  std::string claim;  ///< Statement that holds if the check passes.
};

struct SelftestMeans {
  const Clock& other_clock;  ///< Clock that is independent of the measuring clock.
  std::function<Dataset(const DataSpec& spec, const SplitSizes& sizes)> make_data;
  std::function<PowerTrial(const std::function<void()>& load)> try_power;
};

/// Models, devices and training. Stateless except for LibTorch's global settings. Not thread-safe.
/// Returned references stay valid until the program ends. Failures are in the status.
struct Engine {
  // See model_catalog.h, device.h and model_cost.h.
  std::function<const Catalog<ModelEntry>&()> models;
  std::function<const Catalog<DeviceEntry>&()> device_kinds;
  std::function<std::vector<std::string>()> usable_devices;
  std::function<std::string(const std::string& name)> resolve_device;
  std::function<std::unique_ptr<Device>(const std::string& name)> open_device;
  std::function<Environment()> read_environment;
  std::function<ModelCost(const std::string& model)> model_cost;
  std::function<Measured<StepCosts>(const Case& c)> step_costs;
  std::function<Measured<MemoryEstimate>(const Case& c, const SplitSizes& samples)> estimate_memory;

  /// Sets LibTorch's intra-op threads (0: automatic) and strict fp32. Returns the threads in force.
  std::function<int(int threads)> configure;

  // See workloads/cases/runner.h.
  std::function<ResolvedModes(const Case& c, const Device& device)> known_modes;
  std::function<ResolvedModes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock)>
      try_modes;

  /// Trains one case. Runs trials for unresolved modes in this process.
  std::function<CaseRecord(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                           CaseMonitor& monitor)>
      run_case;
  /// Runs a few steps of the case for about `limit` seconds.
  std::function<Pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                      Seconds limit)>
      run_pilot;
  std::function<PeakMeasurement(Device& device, const Clock& clock, PeakEffort effort,
                                const ReportPoint& report)>
      measure_peak;

  /// Throws a usage Error for an unknown operation or unsupported sizes.
  std::function<void(const std::string& name, const OpCase& sizes)> check_operation;
  /// See run_op() in workloads/op/op_run.h. Throws like check_operation().
  std::function<OpRecord(const OpPoint& asked, Device& device, const Clock& clock)> run_operation;
  std::function<Network(const RankContext& context, Device& device, const Clock& clock, CaseMonitor& monitor)>
      join_network;

  std::function<std::vector<CheckInfo>()> checks;
  /// Runs a check and returns its rows. Throws a usage Error for an unknown name.
  std::function<std::vector<CheckRow>(const std::string& name, Device& device, const Clock& clock,
                                      const SelftestMeans& means)>
      run_check;
};

}  // namespace gpubench

/// Returns the engine of this build. Read `limits` before loading the engine's shared library.
extern "C" const gpubench::Engine* gpubench_engine(const gpubench::CoreLimits& limits);
