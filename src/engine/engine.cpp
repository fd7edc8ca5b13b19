#include "engine/api/engine.h"
#include "device/host/host.h"
#include "engine/ops/op_run.h"
#include "engine/peak/measure_peak.h"
#include "engine/training/runner.h"
#include "gpubench/op.h"

namespace gpubench {
namespace {

class TorchEngine : public Engine {
 public:
  const Catalog<ModelEntry>& models() const override { return gpubench::models(); }
  const Catalog<DeviceEntry>& device_kinds() const override { return gpubench::device_kinds(); }
  std::vector<std::string> usable_devices() const override { return gpubench::usable_devices(); }
  std::string resolve_device(const std::string& name) const override {
    return gpubench::resolve_device(name);
  }
  std::unique_ptr<Device> open_device(const std::string& name) const override {
    return gpubench::open_device(name);
  }
  Environment read_environment() const override { return gpubench::read_environment(); }

  int configure(int threads) const override {
    cure_blas_clash();
    return set_threads(threads);
  }

  ModelCost model_cost(const ModelEntry& entry) const override { return gpubench::model_cost(entry); }

  CaseRecord run_case(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                      CaseMonitor& monitor) const override {
    return gpubench::run_case(c, dataset, device, clock, monitor);
  }

  Pilot run_pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                  Seconds limit) const override {
    return gpubench::run_pilot(c, dataset, device, clock, limit);
  }

  PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort,
                               const TellPoint& tell) const override {
    return gpubench::measure_peak(device, clock, effort, tell);
  }

  std::vector<OpInfo> operations() const override {
    std::vector<OpInfo> infos;
    for (const OpEntry& op : ops()) {
      infos.push_back({op.name, op.summary, op.sizes, op.published_cases, op.small_cases});
    }
    return infos;
  }

  void check_operation(const std::string& name, const OpCase& sizes) const override {
    gpubench::check_sizes(ops().require(name, "--op"), sizes);
  }

  OpRecord run_operation(const std::string& name, const OpRequest& request, Device& device,
                         const Clock& clock) const override {
    return run_op(ops().require(name, "--op"), request, device, clock);
  }
};

}  // namespace
}  // namespace gpubench

extern "C" const gpubench::Engine* gpubench_engine() {
  static const gpubench::TorchEngine engine;
  return &engine;
}
