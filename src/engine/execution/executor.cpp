#include "engine/execution/executor.h"

#include <ctime>

#include "device/host/host.h"
#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

class LocalExecutor : public CaseExecutor {
 public:
  LocalExecutor(const Engine& engine, const Datasets& datasets, const Clock& clock)
      : engine_(engine), datasets_(datasets), clock_(clock), devices_(engine) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    const HostState before = read_host_state();
    const std::clock_t cpu_before = std::clock();
    CaseRecord record = engine_.run_case(c, dataset_of(c), devices_.at(c.device), clock_, control);
    const Seconds cpu{static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC};
    append(record.warnings, host_warnings(before, read_host_state(), cpu));
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl&) override {
    const Pilot pilot = engine_.run_pilot(c, dataset_of(c), devices_.at(c.device), clock_, limit);
    return {pilot, pilot.duration, absent("the pilot had no process of its own")};
  }

 private:
  Dataset dataset_of(const Case& c) const {
    return arrange(datasets_.at(c.dataset->name), spec_of(c), static_cast<std::uint64_t>(c.seed));
  }

  const Engine& engine_;
  const Datasets& datasets_;
  const Clock& clock_;
  OpenDevices devices_;
};

class LocalOpExecutor : public OpExecutor {
 public:
  LocalOpExecutor(const Engine& engine, const Clock& clock)
      : engine_(engine), clock_(clock), devices_(engine) {}

  OpRecord run(const OpWork& work, RowControl&) override { return run_here(work, engine_, devices_, clock_); }

 private:
  const Engine& engine_;
  const Clock& clock_;
  OpenDevices devices_;
};

}  // namespace

Device& OpenDevices::at(const std::string& name) {
  auto& device = devices_[name];
  if (!device) device = engine_.open_device(name);
  return *device;
}

OpRecord run_here(const OpWork& work, const Engine& engine, OpenDevices& devices, const Clock& clock) {
  OpRecord record = engine.run_operation(work.op, work.request, devices.at(work.device), clock);
  record.repeat = work.repeat;
  return record;
}

std::unique_ptr<OpExecutor> make_local_op_executor(const Engine& engine, const Clock& clock) {
  return std::make_unique<LocalOpExecutor>(engine, clock);
}

std::unique_ptr<CaseExecutor> make_local_executor(const Engine& engine, const Datasets& datasets,
                                                  const Clock& clock) {
  return std::make_unique<LocalExecutor>(engine, datasets, clock);
}

}  // namespace gpubench
