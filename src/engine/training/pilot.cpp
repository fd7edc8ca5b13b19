#include "engine/torch/failure.h"
#include "engine/training/runner.h"
#include "engine/training/session.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

void make_steps(const Session& session, std::int64_t batch_size, Timeline& timeline, const Clock& clock,
                Seconds limit, Pilot& pilot) {
  const auto step = [&] {
    ++pilot.steps;
    return timeline.time("step", [&] { session.queue_step(batch_size); });
  };
  const Seconds start = clock.now();
  pilot.first_step = step();
  std::vector<double> steps{step().value};
  while (clock.now() - start < limit) steps.push_back(step().value);
  pilot.step = {summarize(steps).median};
}

}  // namespace

Pilot run_pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock, Seconds limit) {
  const Seconds start = clock.now();
  std::vector<Phase> phases;
  Timeline timeline(device, clock, phases);
  device.reset_peak_memory();
  Pilot pilot;
  try {
    const Session session = open_session(c, dataset, device, clock, timeline);
    pilot.setup = session.setup;
    make_steps(session, c.batch_size, timeline, clock, limit, pilot);
    pilot.peak_device = device.peak_memory();
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    pilot.status = failure.status;
    pilot.status_reason = failure.message;
  }
  pilot.duration = clock.now() - start;
  return pilot;
}

}  // namespace gpubench
