#include "engine/execution/executor.h"

#include <ctime>

#include "device/host/host.h"
#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

class LocalExecutor : public Executor {
 public:
  LocalExecutor(const Engine& engine, const Datasets& datasets, const Clock& clock)
      : engine_(engine), datasets_(datasets), clock_(clock), devices_(engine) {}

  Result run(const Work& work, const Result& /*planned*/, RowControl& control) override {
    if (const auto* const c = std::get_if<Case>(&work)) return run_case(*c, control);
    const OpPoint& asked = std::get<OpWork>(work).asked;
    return engine_.run_operation(asked, devices_.at(asked.device), clock_);
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl&) override {
    const Pilot pilot = engine_.run_pilot(c, find_dataset(c), devices_.at(c.asked.device), clock_, limit);
    return {pilot, pilot.duration, missing("the pilot had no process of its own")};
  }

 private:
  CaseRecord run_case(const Case& c, RowControl& control) {
    const HostState before = read_host_state();
    const std::clock_t cpu_before = std::clock();
    CaseRecord record = engine_.run_case(c, find_dataset(c), devices_.at(c.asked.device), clock_, control);
    const Seconds cpu{static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC};
    append(record.warnings, host_warnings(before, read_host_state(), cpu));
    return record;
  }

  Dataset find_dataset(const Case& c) const {
    return arrange(datasets_.at(c.dataset->name), make_spec(c), static_cast<std::uint64_t>(c.asked.seed));
  }

  const Engine& engine_;
  const Datasets& datasets_;
  const Clock& clock_;
  OpenDevices devices_;
};

}  // namespace

std::unique_ptr<Executor> make_local_executor(const Engine& engine, const Datasets& datasets,
                                              const Clock& clock) {
  return std::make_unique<LocalExecutor>(engine, datasets, clock);
}

Result run_observed(Work work, const Result& planned, RowControl& control, Executor& executor,
                    const Observers& observers) {
  RowControl* current = &control;
  std::optional<Result> row;
  std::size_t begun = 0;
  while (begun < observers.size() && !row) row = observers[begun++]->before(work, planned, current);
  if (!row) row = executor.run(work, planned, *current);
  while (begun > 0) observers[--begun]->after(*row);
  return std::move(*row);
}

}  // namespace gpubench
