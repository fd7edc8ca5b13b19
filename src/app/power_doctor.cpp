#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "app/commands.h"
#include "app/execution.h"
#include "app/interrupt_watch.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text_table.h"
#include "gpubench/power/diagnosis.h"
#include "gpubench/power/energy_account.h"

namespace gpubench {
namespace {

constexpr Seconds kLoad{10};
constexpr Seconds kIdle{3};

/// A case that keeps any device busy for so long, on data that need not be fetched.
TrainOptions load_options(const DoctorOptions& options) {
  TrainOptions load;
  load.plan.models = {"cnn"};
  load.plan.devices = {options.device};
  load.plan.batch_sizes = {1024};
  load.plan.dataset = "synthetic";
  load.plan.limit = 4096;
  load.plan.epochs = 2;
  load.plan.min_timed = kLoad;
  load.data = options.data;
  load.energy.meter = "none";
  load.is_quiet = true;
  load.output = "-";
  return load;
}

TimeSpan rest(const Clock& clock) {
  const Seconds begin = clock.now();
  std::this_thread::sleep_for(std::chrono::duration<double>(kIdle.value));
  return {begin, clock.now()};
}

/// The load's epochs; throws a device Error where it did not end well.
TimeSpan load_device(PlanExecution& execution) {
  InterruptWatch interrupts(/*ends_at_second=*/true);
  TrialControl control(interrupts);
  const CaseRecord record = execution.executor().run(execution.run().cases.front(), control);
  if (record.status != CaseStatus::kOk || !record.clock_start.has_value()) {
    throw Error(ErrorKind::kDevice,
                fmt::format("doctor --power: the load on {} ended as {}: {}", record.device,
                            to_string(record.status), record.status_reason));
  }
  const auto windows = epoch_windows(record, record.clock_start.value());
  return {windows.front().begin, windows.back().end};
}

template <class T>
std::string text_of(const Reading<T>& reading, const char* unit) {
  return reading.has_value() ? fmt::format("{:.3g} {}", reading.value().value, unit)
                             : "- (" + reading.reason() + ")";
}

std::string difference_text(const PowerDiagnosis& source) {
  if (!source.by_counter.has_value() || !source.by_power.has_value()) return "-";
  return fmt::format("{:+.1f} %",
                     100 * (source.by_power.value().value / source.by_counter.value().value - 1));
}

void print(const PowerDiagnosis& source) {
  const PowerSourceFacts& facts = source.facts;
  print_out(fmt::format("\n{} {} ({})\n", facts.meter, facts.part, to_string(facts.scope)));
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  table.add_row({"update period", text_of(source.period, "s")});
  table.add_row({"lag behind the load", text_of(source.lag, "s")});
  table.add_row({"idle before", text_of(source.idle_before, "W")});
  table.add_row({"under load", text_of(source.load, "W")});
  table.add_row({"idle after", text_of(source.idle_after, "W")});
  table.add_row({"energy by counter", text_of(source.by_counter, "J")});
  table.add_row({"energy by " + (facts.power_quantity.empty() ? "power" : facts.power_quantity),
                 text_of(source.by_power, "J")});
  table.add_row({"integral against counter", difference_text(source)});
  table.add_row({"window for 5 %", text_of(source.least_window, "s")});
  if (!facts.accuracy.empty()) table.add_row({"accuracy", facts.accuracy});
  print_out(table.to_string());
}

void conclude(const std::vector<PowerDiagnosis>& sources, const std::string& device) {
  const BestSource best = best_source(sources, device);
  if (best.part.empty()) {
    print_out(fmt::format("\nenergy of {}: {}\n", device, best.reason));
  } else {
    print_out(fmt::format("\nenergy of {}: by {}: {}\n", device, best.part, best.reason));
  }
}

}  // namespace

ExitCode run_power_doctor(const DoctorOptions& options, const std::vector<std::string>& arguments) {
  const SteadyClock clock;
  OpenMeters meters = open_meters(options.meter, clock);
  if (meters.sources.empty()) {
    print_out(meters.why_none + "\n");
    return ExitCode::kOk;
  }
  const PlannedRun run(load_options(options), arguments);
  PlanExecution execution(run);
  const auto pause = make_pause();
  const auto sampler = start_sampler(std::move(meters.sources), clock, *pause, {});
  TrialTimes times;
  times.idle_before = rest(clock);
  times.load = load_device(execution);
  times.idle_after = rest(clock);
  std::vector<PowerDiagnosis> sources;
  for (const PowerTrace& trace : sampler->traces_since(times.idle_before.begin)) {
    sources.push_back(diagnose(trace, times));
    print(sources.back());
  }
  print_out(fmt::format("\nreading them takes {:.2f} % of a core\n", 100 * sampler->load()));
  conclude(sources, run.cases.front().device);
  return ExitCode::kOk;
}

}  // namespace gpubench
