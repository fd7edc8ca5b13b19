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
#include "engine/api/peak.h"
#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"
#include "gpubench/record/run_record.h"
#include "gpubench/record/selftest_record.h"
#include "power/trace/diagnosis.h"

namespace gpubench {

struct CoreLimits;  // device/host/host.h

/// One rank's end of a group that measures its network: runs one collective at one size. All ranks run the
/// same rows in the same order, and get the times of the slowest. The first row joins the group. A failure is
/// in the status. Used by one thread.
using Network = std::function<OpRecord(const OpWork& work)>;

/// `device`, `clock` and `monitor`, which receives a lost connection, outlive the network.
Network join_network(const RankContext& context, Device& device, const Clock& clock, CaseMonitor& monitor);

/// A check of `gpubench selftest`; see docs/selftest.md.
struct CheckInfo {
  std::string name;
  std::string claim;  ///< True if the check passes.
};

/// Parts of the program that checks need.
struct SelftestMeans {
  const Clock& other_clock;  ///< Independent of the one that measures.
  std::function<Dataset(const DataSpec& spec, const SplitSizes& sizes)> make_data;
  std::function<PowerTrial(const std::function<void()>& load)> try_power;
};

/// Models, devices and training. Stateless except for LibTorch's global settings; used by one thread.
/// References that it returns live as long as the program. A failure of a case, pilot or check is in its
/// status.
struct Engine {
  // See model_catalog.h, device.h and model_cost.h.
  std::function<const Catalog<ModelEntry>&()> models;
  std::function<const Catalog<DeviceEntry>&()> device_kinds;
  std::function<std::vector<std::string>()> usable_devices;
  std::function<std::string(const std::string& name)> resolve_device;
  std::function<std::unique_ptr<Device>(const std::string& name)> open_device;
  std::function<Environment()> read_environment;
  std::function<ModelCost(const ModelEntry& entry)> model_cost;
  std::function<Measured<StepCosts>(const Case& c)> step_costs;

  /// Sets LibTorch's intra-op threads (0: its own choice within the cores available) and strict fp32. Returns
  /// the number of threads in force.
  std::function<int(int threads)> configure;

  // See engine/training/mode_trial.h.
  std::function<std::optional<ResolvedModes>(const Case& c, const Device& device)> cached_modes;
  std::function<ResolvedModes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock)>
      try_modes;

  /// Trains one case; missing trials of its modes are made in this process.
  std::function<CaseRecord(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                           CaseMonitor& monitor)>
      run_case;
  /// Runs a few steps of the case, for about `limit`.
  std::function<Pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                      Seconds limit)>
      run_pilot;
  std::function<PeakMeasurement(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell)>
      measure_peak;

  std::function<std::vector<OpInfo>()> operations;
  /// Throws a usage Error for an unknown name, and for sizes that the operation does not take.
  std::function<void(const std::string& name, const OpCase& sizes)> check_operation;
  /// See run_op() in engine/ops/op_run.h. Throws what check_operation() throws.
  std::function<OpRecord(const OpPoint& asked, Device& device, const Clock& clock)> run_operation;
  std::function<Network(const RankContext& context, Device& device, const Clock& clock, CaseMonitor& monitor)>
      join_network;

  /// The checks of `gpubench selftest`, in their order.
  std::function<std::vector<CheckInfo>()> checks;
  /// Returns the rows of a check. Throws a usage Error for an unknown name.
  std::function<std::vector<CheckRow>(const std::string& name, Device& device, const Clock& clock,
                                      const SelftestMeans& means)>
      run_check;
};

}  // namespace gpubench

/// Returns the engine of this build; the one symbol that the engine's shared library exports for gpubench.
/// `limits` are those of before it was loaded.
extern "C" const gpubench::Engine* gpubench_engine(const gpubench::CoreLimits& limits);
