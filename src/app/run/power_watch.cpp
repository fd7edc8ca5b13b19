#include "app/run/power_watch.h"

#include <chrono>
#include <thread>

#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

void sleep(Seconds duration) { std::this_thread::sleep_for(std::chrono::duration<double>(duration.value)); }

}  // namespace

MeteringOptions metering_options(const EnergyOptions& options) {
  MeteringOptions metering;
  metering.idle = parse_duration(options.idle, "--idle");
  metering.is_window_automatic = options.window == "auto";
  if (!options.window.empty() && !metering.is_window_automatic) {
    metering.window = parse_duration(options.window, "--min-energy-time");
  }
  return metering;
}

PowerWatch::PowerWatch(const TrainOptions& options, const EngineFacts& facts, const Clock& clock)
    : clock_(clock), options_(metering_options(options.energy)) {
  if (options.is_dry_run || options.finds_max_batch) return;
  OpenMeters meters =
      open_meters(options.energy.meter, clock, metered_environment(facts.environment, facts.gpus));
  why_none_ = meters.why_none;
  if (meters.sources.empty()) return;
  pause_ = make_pause();
  sampler_ = start_sampler(std::move(meters.sources), clock, *pause_, options.energy.raw_log);
}

PowerWatch::~PowerWatch() = default;

std::unique_ptr<CaseExecutor> PowerWatch::watch(std::unique_ptr<CaseExecutor> inner) {
  if (!sampler_) return make_unmetered_executor(std::move(inner), why_none_);
  return make_metered_executor(std::move(inner), *sampler_, clock_, options_, sleep);
}

}  // namespace gpubench
