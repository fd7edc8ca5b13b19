#pragma once
// All that needs LibTorch, behind one interface. The program itself does not link LibTorch: it loads the
// engine when a command needs it, so that help, plans and the process that supervises a sweep stay small.

#include <memory>
#include <string>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/api/model_cost.h"
#include "engine/api/peak.h"
#include "engine/plan/op_work.h"
#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"

namespace gpubench {

/// Models, devices and training. Stateless but for LibTorch's own global settings; used by one thread.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual const Catalog<ModelEntry>& models() const = 0;
  virtual const Catalog<DeviceEntry>& device_kinds() const = 0;

  /// As the functions of the same names in device.h.
  virtual std::vector<std::string> usable_devices() const = 0;
  virtual std::string resolve_device(const std::string& name) const = 0;
  virtual std::unique_ptr<Device> open_device(const std::string& name) const = 0;
  virtual Environment read_environment() const = 0;

  /// Sets LibTorch's intra-op threads (0: its own choice within the cores available) and strict fp32. Returns
  /// the number of threads in force.
  virtual int configure(int threads) const = 0;

  /// Builds the model in host memory and counts what it costs.
  virtual ModelCost model_cost(const ModelEntry& entry) const = 0;

  /// Trains one case. Never throws for what goes wrong in it: the row's status and message say so.
  virtual CaseRecord run_case(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                              CaseMonitor& monitor) const = 0;

  /// A few steps of the case, for about `limit`. Never throws for what goes wrong: the status says so.
  virtual Pilot run_pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                          Seconds limit) const = 0;

  /// As the function of the same name in engine/peak/measure_peak.h.
  virtual PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort,
                                       const TellPoint& tell) const = 0;

  virtual std::vector<OpInfo> operations() const = 0;

  /// Throws a usage Error for an unknown name, and for sizes that the operation of that name does not take.
  virtual void check_operation(const std::string& name, const OpCase& sizes) const = 0;

  /// As run_op() in engine/ops/op_run.h, of the operation of that name. Throws what check_operation() throws.
  virtual OpRecord run_operation(const std::string& name, const OpRequest& request, Device& device,
                                 const Clock& clock) const = 0;
};

}  // namespace gpubench

/// The engine of this build; the one symbol that the engine's shared library exports for gpubench.
extern "C" const gpubench::Engine* gpubench_engine();
