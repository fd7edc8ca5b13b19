#include "engine/training/session.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/Device.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "engine/plan/describe.h"
#include "engine/plan/plan.h"
#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"
#include "engine/training/input/batch_source.h"
#include "engine/training/input/host_source.h"
#include "engine/training/trainer.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

constexpr Seconds kTrial{0.25};     // Of each layout.
constexpr Seconds kLongStep{0.05};  // A step of so long tells enough, however few samples it has.
constexpr int kLeastRuns = 3;
constexpr std::int64_t kLeastSamples = 64;
constexpr std::int64_t kTrialBatches = 4;
constexpr std::uint64_t kLargeBatch = 256;

bool is_convolution_weight(const at::Tensor& parameter) { return parameter.dim() == 4; }

/// The case in one layout, ready to run a little of it.
class Trial {
 public:
  Trial(Case c, Layout layout, const Dataset& dataset, Device& device, const Clock& clock)
      : device_(device), clock_(clock) {
    c.mode.layout = layout;
    c.mode.loader = Loader::kResident;
    c.protocol = Protocol::kEpoch;
    c.limit = used_samples(used_samples(dataset.train.size(), c.limit), kTrialBatches * c.batch_size);
    std::vector<Phase> phases;
    Timeline timeline(device, clock, phases);
    session_ = open_session(c, dataset, device, clock, timeline);
    samples = std::min(c.batch_size, c.limit);
  }

  std::int64_t samples = 0;  ///< Of a step.

  /// On a CPU a part of a batch is enough; on other devices epochs are what is launched.
  bool is_by_step() const { return session_.train->device().is_cpu(); }

  Seconds run() {
    CaseMonitor nobody;
    TimedWindow window(device_, clock_);
    if (is_by_step())
      session_.queue_step(samples);
    else
      session_.queue_epoch(nobody);
    return window.close();
  }

 private:
  Device& device_;
  const Clock& clock_;
  Session session_;
};

/// The fewest samples, doubling, of which a step is long enough to be timed.
std::int64_t enough_samples(Trial& trial) {
  const std::int64_t most = trial.samples;
  for (trial.samples = std::min(kLeastSamples, most);; trial.samples = std::min(2 * trial.samples, most)) {
    trial.run();  // Selects kernels.
    if (trial.samples == most || trial.run() >= kLongStep) return trial.samples;
  }
}

Choice<Layout> compare(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  Trial nchw(c, Layout::kNchw, dataset, device, clock);
  Trial last(c, Layout::kChannelsLast, dataset, device, clock);
  if (nchw.is_by_step()) last.samples = enough_samples(nchw);
  nchw.run();  // Selects kernels.
  last.run();
  Seconds by_nchw{std::numeric_limits<double>::infinity()};
  Seconds by_last = by_nchw;
  // In turns, so that a machine that grows slower does so for both.
  const Seconds start = clock.now();
  for (int runs = 0; runs < kLeastRuns || clock.now() - start < kTrial + kTrial; ++runs) {
    by_nchw = std::min(by_nchw, nchw.run());
    by_last = std::min(by_last, last.run());
  }
  const bool is_last = by_last < by_nchw;
  return {is_last ? Layout::kChannelsLast : Layout::kNchw,
          fmt::format("a trial took {:.3g} ms, {:.3g} ms as {}", 1e3 * std::min(by_last, by_nchw).value,
                      1e3 * std::max(by_last, by_nchw).value,
                      to_string(is_last ? Layout::kNchw : Layout::kChannelsLast))};
}

/// Batches of about the same size share an outcome; on a CPU large ones are tried in part alone.
std::uint64_t like_batch(const Case& c) {
  const auto batch = static_cast<std::uint64_t>(c.batch_size);
  return std::bit_floor(c10::Device(c.device).is_cpu() ? std::min(batch, kLargeBatch) : batch);
}

/// All that the outcome depends on.
std::string key_of(const Case& c, const Device& device) {
  return fmt::format("layout, LibTorch {}, {} ({}), {} threads, {}, batch {}, {}, {}", TORCH_VERSION,
                     c.device, device.record().model, at::get_num_threads(), model_text(c), like_batch(c),
                     to_string(c.mode.precision), to_string(c.mode.execution));
}

/// What an earlier trial found; nothing where it cannot be read.
std::optional<Choice<Layout>> known_choice(const MachineCache& cache, const std::string& key) {
  const auto text = cache.find(key);
  if (!text) return std::nullopt;
  const std::size_t line = std::min(text->find('\n'), text->size());
  try {
    return Choice<Layout>{value_named<Layout>(text->substr(0, line)),
                          text->substr(std::min(line + 1, text->size()))};
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The case's layout. `auto` is settled by a short trial of both layouts in the case's other modes, whose
/// outcome is kept for this machine: see MachineCache. Models without convolutions need no trial.
Choice<Layout> choose_layout(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                             Timeline& timeline) {
  if (c.mode.layout != Layout::kAuto) return {c.mode.layout, {}};
  const MachineCache cache(cache_folder() / "layouts");
  const std::string key = key_of(c, device);
  if (const auto known = known_choice(cache, key)) return *known;
  Choice<Layout> choice{Layout::kNchw, {}};
  if (std::ranges::none_of(c.model->build(c.sizes)->parameters(), is_convolution_weight)) return choice;
  try {
    timeline.time("layout trial", [&] { choice = compare(c, dataset, device, clock); });
    cache.store(key, to_string(choice.used) + "\n" + choice.note);
  } catch (const std::exception& error) {
    // Two trials take more memory than the case; what else is wrong will show in the case itself.
    choice.note = "the trial ended with: " + classify(error).message;
  }
  device.reset_peak_memory();
  return choice;
}

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
    if (failure.status == RowStatus::kOutOfMemory) throw;
    throw Unsupported(name + ": " + failure.message);
  }
}

void transfer(const Case& c, const Dataset& dataset, c10::Device device, const Clock& clock,
              Session& session) {
  to_device(*session.model, device, session.format);
  if (c.mode.loader == Loader::kResident) {
    auto resident = std::make_unique<ResidentSplit>(dataset.train, c.limit, device, session.format);
    session.train = resident.get();
    session.source = std::move(resident);
  } else {
    session.source =
        std::make_unique<HostSource>(dataset.train, c.limit, device, session.format, c.batch_size, clock);
  }
  // Validation, or test where the dataset has none.
  const Split& validation = dataset.validation.size() > 0 ? dataset.validation : dataset.test;
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
    session.graph = std::make_unique<GraphEpoch>(*session.trainer, *session.train, device, *session.stamps);
    session.execution = {Execution::kGraph, session.graph->description()};
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    if (c.mode.execution == Execution::kGraph || failure.status == RowStatus::kOutOfMemory) throw;
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

/// Passes on what it is told, and stamps the ends of blocks.
class StampingMonitor : public CaseMonitor {
 public:
  StampingMonitor(BlockStamps& stamps, CaseMonitor& monitor) : stamps_(stamps), monitor_(monitor) {}

  void steps_finished(std::int64_t count) override {
    steps_ += count;
    stamps_.reach(steps_);
    monitor_.steps_finished(count);
  }

 private:
  BlockStamps& stamps_;
  CaseMonitor& monitor_;
  std::int64_t steps_ = 0;  // Of the epoch.
};

/// Leaves are cast as a whole, since recurrent layers keep their weights in one piece.
void cast(Model& model, at::ScalarType type) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    const bool is_leaf = module->children().empty();
    const bool has_statistics = !module->buffers(/*recurse=*/false).empty();
    if (is_leaf && !has_statistics) module->to(type);
  }
}

/// contiguous() would leave a weight with one input channel as it is: its strides are right for both layouts,
/// and the convolution would take it for the other one.
void put_channels_last(Model& model) {
  const at::NoGradGuard no_grad;
  for (at::Tensor parameter : model.parameters()) {
    if (!is_convolution_weight(parameter)) continue;
    parameter.set_data(parameter.to(parameter.options(), /*non_blocking=*/false, /*copy=*/true,
                                    at::MemoryFormat::ChannelsLast));
  }
}

}  // namespace

void to_device(Model& model, c10::Device device, const InputFormat& format) {
  model.to(device);
  if (format.type != at::kFloat) cast(model, format.type);
  if (format.is_channels_last) put_channels_last(model);
}

void Session::queue_epoch(CaseMonitor& monitor) const {
  StampingMonitor stamping(*stamps, monitor);
  stamps->begin_epoch();
  if (graph)
    graph->queue(stamping);
  else
    trainer->queue_epoch(*source, stamping);
  stamps->end_epoch();
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
  session.stamps = std::make_unique<BlockStamps>(device, clock);
  session.setup = build + moved + optimizer + choose_execution(c, device, timeline, session);
  if (!session.graph) {
    session.stamps->divide(block_ends((session.source->size() + c.batch_size - 1) / c.batch_size));
  }
  return session;
}

}  // namespace gpubench
