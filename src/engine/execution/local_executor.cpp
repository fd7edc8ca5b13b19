#include <ctime>
#include <map>

#include "device/host/host.h"
#include "engine/execution/case_executor.h"

namespace gpubench {
namespace {

/// Passes on what a case in this process reports.
class DirectMonitor : public CaseMonitor {
 public:
  explicit DirectMonitor(CaseControl& control) : control_(control) {}
  void steps_finished(std::int64_t count) override { control_.steps_finished(steps_ += count); }
  void case_opened(const CaseRecord&) override {}
  void epoch_finished(const EpochRecord& epoch) override { control_.epoch_finished(epoch); }
  StopRequest stop_request() override { return control_.stop_request(); }

 private:
  CaseControl& control_;
  std::int64_t steps_ = 0;
};

class LocalExecutor : public CaseExecutor {
 public:
  LocalExecutor(const Engine& engine, const DatasetSource& datasets, const Clock& clock)
      : engine_(engine), datasets_(datasets), clock_(clock) {}

  CaseRecord run(const Case& c, CaseControl& control) override {
    const HostState before = read_host_state();
    const std::clock_t cpu_before = std::clock();
    DirectMonitor monitor(control);
    CaseRecord record = engine_.run_case(c, dataset_of(c), device_of(c), clock_, monitor);
    const Seconds cpu{static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC};
    const auto warnings = host_warnings(before, read_host_state(), cpu);
    record.warnings.insert(record.warnings.end(), warnings.begin(), warnings.end());
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, CaseControl&) override {
    const Pilot pilot = engine_.run_pilot(c, dataset_of(c), device_of(c), clock_, limit);
    return {pilot, pilot.duration, absent("the pilot had no process of its own")};
  }

 private:
  Dataset dataset_of(const Case& c) const {
    return arrange(datasets_.dataset_of(c), spec_of(c), static_cast<std::uint64_t>(c.seed));
  }

  Device& device_of(const Case& c) {
    auto& device = devices_[c.device];
    if (!device) device = engine_.open_device(c.device);
    return *device;
  }

  const Engine& engine_;
  const DatasetSource& datasets_;
  const Clock& clock_;
  std::map<std::string, std::unique_ptr<Device>> devices_;
};

}  // namespace

std::unique_ptr<CaseExecutor> make_local_executor(const Engine& engine, const DatasetSource& datasets,
                                                  const Clock& clock) {
  return std::make_unique<LocalExecutor>(engine, datasets, clock);
}

}  // namespace gpubench
