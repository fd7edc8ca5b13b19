#include "engine/training/examination.h"

#include <algorithm>
#include <cmath>

#include "engine/api/model_cost.h"
#include "engine/training/cost/profile.h"
#include "engine/training/cost/step_cost.h"

namespace gpubench {
namespace {

void count_cost(const Case& c, const Session& session, CaseRecord& record) {
  const std::int64_t batch = std::min(c.batch_size, record.train_samples);
  const StepCost cost = cost_of_batch([&](std::int64_t samples) { session.queue_step(samples); }, batch);
  record.train_flop_per_sample = cost.flop / static_cast<double>(batch);
  record.operations_per_step = cost.operations;
  record.traffic_per_step = Bytes{std::llround(cost.bytes)};
}

/// Profiles full steps as an epoch makes them, one by one.
void profile(const Case& c, const Session& session, Device& device, CaseRecord& record) {
  Trainer& trainer = *session.trainer;
  BatchSource& source = *session.source;
  const std::int64_t batch = std::min(c.batch_size, source.size());
  std::int64_t left = 0;
  const auto step = [&] {
    if (left < batch) {
      left = source.size();
      trainer.begin_epoch(left);
      source.begin_epoch();
    }
    trainer.queue_next(source, batch);
    left -= batch;
  };
  profile_steps(step, c.profile_steps, c.trace, device, record);
}

}  // namespace

void examine(const Case& c, const Session& session, Device& device, Timeline& timeline, CaseRecord& record) {
  record.forward_macs = count_forward_macs(*session.model, c.model->spec);
  if (record.status == RowStatus::kInterrupted) return;
  timeline.time("counting", [&] { count_cost(c, session, record); });
  if (c.profile_steps == 0) return;
  timeline.time("profile", [&] { profile(c, session, device, record); });
}

}  // namespace gpubench
