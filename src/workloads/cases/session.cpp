#include "workloads/cases/session.h"

#include <algorithm>
#include <cmath>

#include <ATen/ceil_div.h>

#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench {
namespace {

/// Throws Unsupported if a step fails or, for TF32, if products do not change. Assumes that fp32 works.
void require_precision(const Case& c, const c10::Device& device) {
  if (c.asked.mode.precision == Precision::kFp32) return;
  const std::string name = "--precision " + to_string(c.asked.mode.precision) + " on " + c.asked.device;
  if (c.asked.mode.precision == Precision::kTf32) {
    if (!has_tf32(device)) throw Unsupported(name + ": this device has no TF32 products");
    return;
  }
  try {
    const at::ScalarType type = find_numerics(c.asked.mode.precision).type;
    const auto model = c.model->build(c.sizes);
    to_device(*model, device, {type, /*is_channels_last=*/false});
    const TrainPoint point{.batch_size = std::min<std::int64_t>(c.asked.batch_size, 4),
                           .mode = {.precision = c.asked.mode.precision},
                           .protocol = c.asked.protocol};
    const auto steps = make_steps(*model, point, device);
    steps->begin_epoch(point.batch_size);
    steps->run_step(example_batch(make_spec(c), point.batch_size, at::TensorOptions(device).dtype(type)));
    steps->epoch_figures();  // Waits, so that failures on the device are thrown here.
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    if (failure.status == RowStatus::kOutOfMemory) throw;
    throw Unsupported(name + ": " + failure.message);
  }
}

/// Gives all ranks the same orders as a single rank, and their models different random numbers.
SampleDraw make_draw(const Case& c, c10::Device device, const RankGroup* ranks) {
  if (ranks == nullptr) return {.is_in_order = !c.is_training()};
  const c10::Device place = c.asked.mode.loader == Loader::kHost ? c10::Device(at::kCPU) : device;
  const SampleDraw draw{ranks->share(), at::globalContext().defaultGenerator(place).clone()};
  constexpr std::uint64_t kApart = 0x9E3779B97F4A7C15;
  at::manual_seed(static_cast<std::uint64_t>(c.asked.seed) +
                  kApart * static_cast<std::uint64_t>(draw.share.rank + 1));
  return draw;
}

void transfer(const Case& c, const Dataset& dataset, c10::Device device, const Clock& clock,
              Session& session) {
  const SampleDraw draw = make_draw(c, device, session.ranks.get());
  const std::int64_t samples = trained_samples(c, used_samples(dataset.train.size(), c.asked.max_samples));
  to_device(*session.model, device, session.format);
  if (c.asked.mode.loader == Loader::kResident) {
    auto resident = std::make_unique<ResidentSplit>(dataset.train, samples, device, session.format, draw);
    session.train = resident.get();
    session.source = std::move(resident);
  } else {
    session.source =
        make_host_source(dataset.train, samples, device, session.format, c.asked.batch_size, clock, draw);
  }
  // The test split replaces a missing validation split.
  const Split& validation = dataset.validation.size() > 0 ? dataset.validation : dataset.test;
  if (c.asked.protocol == "fit" && validation.size() > 0) {
    session.validation.emplace(validation, c.asked.max_samples, device, session.format);
  }
}

void record_epoch(const Case& c, Device& device, Session& session) {
  try {
    session.graph = std::make_unique<GraphEpoch>(*session.steps, *session.train, device, *session.stamps,
                                                 c.is_single_stream());
    session.execution = {Execution::kGraph, session.graph->description()};
  } catch (const std::exception& error) {
    if (c.asked.mode.execution == Execution::kGraph) throw;
    session.execution = {Execution::kEager, "recording an epoch failed: " + classify(error).message};
    // Eager training needs less memory, so the failed attempt must not count in its peaks.
    device.free_spare_memory();
    device.reset_peak_memory();
  }
}

/// Takes the layout of rank 0, since the exchange sums gradients in memory order.
void take_layout_of_first(Session& session) {
  const bool is_first = session.ranks->share().rank == 0;
  const double code = is_first ? static_cast<double>(session.layout.used) : 0;
  const auto used = static_cast<Layout>(std::lround(session.ranks->sums({code}).front()));
  if (used == session.layout.used) return;
  session.layout = {used, "layout of rank 0; the trial on this rank chose " + to_string(session.layout.used)};
}

/// Records an epoch if the mode allows it, and returns the time that took.
Seconds choose_execution(const Case& c, Timeline& timeline, Session& session) {
  if (c.asked.mode.execution == Execution::kEager) return {};
  const std::string why_not =
      session.train ? timeline.device.why_no_graph() : "loader host cannot be recorded";
  const bool is_tried_eager = c.tried.execution && c.tried.execution->used == Execution::kEager;
  bool may_record = why_not.empty() && !is_tried_eager;
  // All ranks must record or none, since recording exchanges more gradients than an eager epoch.
  if (session.ranks) may_record = session.ranks->sums({may_record ? 0.0 : 1.0}).front() == 0;
  if (may_record) return timeline.time("recording", [&] { record_epoch(c, timeline.device, session); });
  if (!why_not.empty() && c.asked.mode.execution == Execution::kGraph)
    throw Unsupported("--execution graph on " + c.asked.device + ": " + why_not);
  if (!why_not.empty())
    session.execution.note = why_not;
  else if (is_tried_eager)
    session.execution = *c.tried.execution;
  else
    session.execution.note = "another rank cannot record its epochs";
  return {};
}

/// Makes the steps, with the state of rank 0 on all ranks.
void prepare_steps(const Case& c, const Timeline& timeline, Session& session) {
  if (session.ranks) {
    const auto groups = mapped(session.model->parameter_groups(), &ParameterGroup::parameters);
    session.exchange =
        std::make_unique<GradientExchange>(*session.ranks, groups, timeline.device, timeline.clock);
  }
  const c10::Device place(timeline.device.name());
  session.steps = make_steps(*session.model, c.asked, place, session.exchange.get());
  if (!session.ranks) return;
  std::string shapes;
  const std::vector<at::Tensor> tensors = session.steps->state();
  for (const at::Tensor& tensor : tensors)
    shapes += c10::str(tensor.sizes(), tensor.strides(), tensor.scalar_type(), ";");
  // The backend would abort the process on a mismatch.
  if (!session.ranks->agree_on(shapes))
    throw Error(ErrorKind::kUsage,
                "the ranks' models have different shapes; start all ranks with equal options");
  session.ranks->broadcast(tensors);
}

}  // namespace

void to_device(Model& model, c10::Device device, const InputFormat& format) {
  // LibTorch cannot move tensors to its meta device; models are built there.
  if (!device.is_meta()) model.to(device);
  for (const auto& module : model.modules(/*include_self=*/false)) {
    // Converts whole leaf modules, since recurrent layers keep their weights in one buffer.
    const bool has_statistics = !module->buffers(/*recurse=*/false).empty();
    const bool is_cast = format.type != at::kFloat && module->children().empty() && !has_statistics;
    if (is_cast) module->to(format.type);
  }
  const at::NoGradGuard no_grad;
  for (at::Tensor parameter : model.parameters()) {
    // contiguous() would not change a weight with a single input channel, since its strides fit both layouts,
    // and the convolution would use the other layout.
    if (format.is_channels_last && is_convolution_weight(parameter))
      parameter.set_data(parameter.to(parameter.options(), /*non_blocking=*/false, /*copy=*/true,
                                      at::MemoryFormat::ChannelsLast));
  }
}

void Session::queue_epoch(CaseMonitor& monitor) const {
  std::int64_t done = 0;
  const auto on_steps = [&](std::int64_t count) {
    done += count;
    if (waits_for) waits_for->synchronize();
    stamps->reach(done);
    monitor.steps_finished(count);
  };
  stamps->begin_epoch();
  if (graph)
    graph->queue(on_steps);
  else
    steps->queue_epoch(*source, on_steps);
  stamps->end_epoch();
}

void Session::drop_graph(Device& device) {
  if (!graph) return;
  graph.reset();
  steps->discard_step();
  device.free_spare_memory();
}

void Session::queue_step(std::int64_t samples) {
  left = 0;
  const std::int64_t count = std::min(samples, source->size());
  steps->begin_epoch(samples);
  if (train) return steps->run_step(train->slice(share().first(count), share().size(count)), count);
  source->begin_epoch();
  steps->run_step(source->next(count), count);
}

void Session::queue_full_step() {
  const std::int64_t batch = std::min(steps->batch_size(), source->size());
  if (left < batch) {
    left = source->size();
    steps->begin_epoch(left);
    source->begin_epoch();
  }
  steps->queue_next(*source, batch);
  left -= batch;
}

Session open_session(const Case& c, const Dataset& dataset, Timeline& timeline, CaseMonitor& monitor) {
  Device& device = timeline.device;
  const Clock& clock = timeline.clock;
  const c10::Device place(device.name());
  allow_tf32(c.asked.mode.precision == Precision::kTf32);
  require_precision(c, place);
  Session session;
  if (c.rank_context) {
    timeline.time("join",
                  [&] { session.ranks = std::make_unique<RankGroup>(*c.rank_context, place, monitor); });
  }
  session.layout = c.tried.layout.value_or(Choice<Layout>{c.asked.mode.layout, {}});
  if (session.ranks) take_layout_of_first(session);
  session.format = {find_numerics(c.asked.mode.precision).type, session.layout.used == Layout::kChannelsLast};
  at::manual_seed(static_cast<std::uint64_t>(c.asked.seed));
  const Seconds build = timeline.time("build", [&] { session.model = c.model->build(c.sizes); });
  const Seconds moved = timeline.time("transfer", [&] { transfer(c, dataset, place, clock, session); });
  const Seconds optimizer = timeline.time("optimizer", [&] { prepare_steps(c, timeline, session); });
  const std::int64_t steps = at::ceil_div(session.source->size(), c.asked.batch_size);
  if (c.is_single_stream()) session.waits_for = &device;
  session.stamps = c.is_single_stream() ? std::make_unique<BlockStamps>(clock, steps)
                                        : std::make_unique<BlockStamps>(device, clock);
  session.setup = build + moved + optimizer + choose_execution(c, timeline, session);
  if (!session.graph && !c.is_single_stream()) session.stamps->divide(block_ends(steps));
  return session;
}

Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  std::vector<Phase> phases;
  Timeline timeline{device, clock, phases};
  CaseMonitor monitor;
  return open_session(alone(c), dataset, timeline, monitor);
}

}  // namespace gpubench
