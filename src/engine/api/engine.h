#pragma once
// All that needs LibTorch, behind one interface. The program itself does not link LibTorch: it loads the
// engine when a command needs it, so that help, plans and the process that supervises a sweep stay small.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/api/model_cost.h"
#include "engine/api/network.h"
#include "engine/api/peak.h"
#include "engine/api/selftest.h"
#include "engine/plan/op_work.h"
#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"

namespace gpubench {

struct CoreLimits;  // device/host/host.h

/// Models, devices and training, a function each. Stateless but for LibTorch's own global settings; used by
/// one thread. References that it hands out live as long as the program.
struct Engine {
  // As the functions of the same names in model_catalog.h, device.h and model_cost.h.
  std::function<const Catalog<ModelEntry>&()> models;
  std::function<const Catalog<DeviceEntry>&()> device_kinds;
  std::function<std::vector<std::string>()> usable_devices;
  std::function<std::string(const std::string& name)> resolve_device;
  std::function<std::unique_ptr<Device>(const std::string& name)> open_device;
  std::function<Environment()> read_environment;
  std::function<ModelCost(const ModelEntry& entry)> model_cost;

  /// As the function of the same name in engine/training/runner.h.
  std::function<Measured<StepCosts>(const Case& c)> step_costs;

  /// Sets LibTorch's intra-op threads (0: its own choice within the cores available) and strict fp32. Returns
  /// the number of threads in force.
  std::function<int(int threads)> configure;

  /// As the functions of the same names in engine/training/mode_trial.h.
  std::function<std::optional<ResolvedModes>(const Case& c, const Device& device)> cached_modes;
  std::function<ResolvedModes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock)>
      try_modes;

  /// Trains one case; one that needs trials of its modes makes them in this process. Never throws for what
  /// goes wrong in it: the row's status and message say so.
  std::function<CaseRecord(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                           CaseMonitor& monitor)>
      run_case;

  /// A few steps of the case, for about `limit`. Never throws for what goes wrong: the status says so.
  std::function<Pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                      Seconds limit)>
      run_pilot;

  /// As the function of the same name in engine/api/peak.h.
  std::function<PeakMeasurement(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell)>
      measure_peak;

  std::function<std::vector<OpInfo>()> operations;

  /// Throws a usage Error for an unknown name, and for sizes that the operation of that name does not take.
  std::function<void(const std::string& name, const OpCase& sizes)> check_operation;

  /// As run_op() in engine/ops/op_run.h, of the operation of that name. Throws what check_operation() throws.
  std::function<OpRecord(const std::string& name, const OpRequest& request, Device& device,
                         const Clock& clock)>
      run_operation;

  /// As join_network() in engine/net/collectives.h.
  std::function<std::unique_ptr<Network>(const RankContext& context, Device& device, const Clock& clock,
                                         CaseMonitor& monitor)>
      join_network;

  /// The checks of `gpubench selftest`, in their order.
  std::function<std::vector<CheckInfo>()> checks;

  /// The rows of the check of that name. Throws a usage Error for an unknown name, and nothing for what goes
  /// wrong in it.
  std::function<std::vector<CheckRow>(const std::string& name, Device& device, const Clock& clock,
                                      const SelftestMeans& means)>
      run_check;
};

}  // namespace gpubench

/// The engine of this build; the one symbol that the engine's shared library exports for gpubench. `limits`
/// are those of before it was loaded.
extern "C" const gpubench::Engine* gpubench_engine(const gpubench::CoreLimits& limits);
