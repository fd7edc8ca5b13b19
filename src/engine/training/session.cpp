#include "engine/training/session.h"

#include <algorithm>

#include <ATen/Context.h>
#include <c10/core/Device.h>
#include <fmt/format.h>

#include "engine/plan/plan.h"
#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"
#include "engine/training/input/example_batch.h"
#include "engine/training/input/host_source.h"
#include "engine/training/model_format.h"
#include "engine/training/trainer.h"

namespace gpubench {
namespace {

constexpr std::int64_t kSamples = 4;

void try_step(const Case& c, c10::Device device) {
  const Numerics numerics = numerics_of(c.mode.precision);
  const auto model = c.model->build(c.sizes);
  to_device(*model, device, {numerics.type, /*is_channels_last=*/false});
  const std::int64_t samples = std::min(c.batch_size, kSamples);
  Trainer trainer(*model, {samples, 0, numerics}, device);
  trainer.begin_epoch(samples);
  trainer.train_on(example_batch(spec_of(c), samples, at::TensorOptions(device).dtype(numerics.type)));
  trainer.epoch_metrics();  // Waits, so that what fails on the device fails here.
}

/// Makes one step of the case's model on a few samples in the case's precision, or, for TF32, looks whether
/// it changes anything. Throws Unsupported, with what was seen, where the precision does not work. Strict
/// fp32 is taken for granted.
void require_precision(const Case& c, const c10::Device& device) {
  if (c.mode.precision == Precision::kFp32) return;
  const std::string name = "--precision " + to_string(c.mode.precision) + " on " + c.device;
  if (c.mode.precision == Precision::kTf32) {
    if (!has_tf32(device)) throw Unsupported(name + ": products are the same as in strict fp32");
    return;
  }
  try {
    try_step(c, device);
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    if (failure.status == CaseStatus::kOutOfMemory) throw;
    throw Unsupported(name + ": " + failure.message);
  }
}

void transfer(const Case& c, const Dataset& dataset, c10::Device device, const Clock& clock,
              Session& session) {
  to_device(*session.model, device, session.format);
  if (c.mode.loader == Loader::kResident) {
    session.train = std::make_unique<ResidentSplit>(dataset.train, c.limit, device, session.format);
    session.source = std::make_unique<ResidentSource>(*session.train);
  } else {
    session.source =
        std::make_unique<HostSource>(dataset.train, c.limit, device, session.format, c.batch_size, clock);
  }
  const Split& validation = fit_validation_split(dataset);
  if (c.protocol == Protocol::kFit && validation.size() > 0) {
    session.validation.emplace(validation, c.limit, device, session.format);
  }
}

/// Why the session's epochs cannot be recorded; empty where they can.
std::string why_eager(const Session& session, const Device& device) {
  if (!session.train) return "batches from host memory come one by one";
  if (!session.trainer->can_be_recorded()) return "the optimizer counts its steps on the host";
  return device.why_no_graph();
}

void record_epoch(const Case& c, Device& device, Session& session) {
  try {
    session.graph = std::make_unique<GraphEpoch>(*session.trainer, *session.train, device);
    session.execution = {Execution::kGraph, session.graph->description()};
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    if (c.mode.execution == Execution::kGraph || failure.status == CaseStatus::kOutOfMemory) throw;
    session.execution = {Execution::kEager, "an epoch could not be recorded: " + failure.message};
  }
}

/// Returns how long it took to record an epoch, if it was.
Seconds choose_execution(const Case& c, Device& device, Timeline& timeline, Session& session) {
  if (c.mode.execution == Execution::kEager) return {};
  const std::string why = why_eager(session, device);
  if (why.empty()) return timeline.time("recording", [&] { record_epoch(c, device, session); });
  if (c.mode.execution == Execution::kGraph) {
    throw Unsupported("--execution graph on " + c.device + ": " + why);
  }
  session.execution.note = why;
  return {};
}

}  // namespace

const Split& fit_validation_split(const Dataset& dataset) {
  return dataset.validation.size() > 0 ? dataset.validation : dataset.test;
}

void Session::queue_epoch(CaseMonitor& monitor) const {
  if (graph) return graph->queue(monitor);
  trainer->queue_epoch(*source, monitor);
}

void Session::queue_step(std::int64_t samples) const {
  trainer->begin_epoch(samples);
  if (train) return trainer->train_on(train->slice(0, std::min(samples, train->size())));
  source->begin_epoch();
  trainer->train_on(source->next(std::min(samples, source->size())));
}

Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                     Timeline& timeline) {
  const c10::Device place(device.name());
  const Numerics numerics = numerics_of(c.mode.precision);
  allow_tf32(numerics.is_tf32_allowed);
  require_precision(c, place);
  Session session;
  session.layout = choose_layout(c, dataset, device, clock, timeline);
  session.format = {numerics.type, session.layout.used == Layout::kChannelsLast};
  at::manual_seed(static_cast<std::uint64_t>(c.seed));
  const Seconds build = timeline.time("build", [&] { session.model = c.model->build(c.sizes); });
  const Seconds moved = timeline.time("transfer", [&] { transfer(c, dataset, place, clock, session); });
  const TrainerOptions options{c.batch_size, c.learning_rate.value_or(0), numerics};
  const Seconds optimizer = timeline.time(
      "optimizer", [&] { session.trainer = std::make_unique<Trainer>(*session.model, options, place); });
  session.setup = build + moved + optimizer + choose_execution(c, device, timeline, session);
  return session;
}

}  // namespace gpubench
