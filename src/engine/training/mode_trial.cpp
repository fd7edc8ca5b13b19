#include "engine/training/mode_trial.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <c10/core/Device.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "engine/plan/plan.h"
#include "engine/torch/failure.h"
#include "engine/training/agreement.h"
#include "engine/training/cached_choice.h"
#include "engine/training/session.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"

namespace gpubench {
namespace {

// The trial of execution: whether recorded steps come to the same as steps launched one by one.

constexpr int kEpochs =
    2;  // The second one finds random numbers and counters that a replay does not move on.

/// The case with one full batch an epoch, and with what follows the full ones in its own epochs.
Case shortened(Case c, const Dataset& dataset) {
  const std::int64_t samples = used_samples(dataset.train.size(), c.limit);
  const std::int64_t rest = samples % c.batch_size;
  c.limit = used_samples(samples, c.batch_size + (rest > 0 ? rest : c.batch_size));
  c.protocol = Protocol::kEpoch;
  return c;
}

at::Tensor flat_parameters(const Model& model) {
  return at::cat(
      mapped(model.parameters(), [](const at::Tensor& each) { return host_copy(each).flatten(); }));
}

struct Tried {
  Choice<Execution> execution;
  TrainingResult result;
};

/// With `is_perturbed` rounding moves the parameters first.
Tried train(Case c, Execution execution, const Dataset& dataset, Device& device, const Clock& clock,
            bool is_perturbed = false) {
  c.mode.execution = execution;
  std::vector<Phase> phases;
  Timeline timeline(device, clock, phases);
  const Session session = open_session(c, dataset, device, clock, timeline);
  Tried tried{session.execution, {}};
  if (is_perturbed) perturb(session.model->parameters(), c.mode.precision);
  const at::Tensor before = flat_parameters(*session.model);
  // From here on both draw the same: an order an epoch, then what the model draws.
  at::manual_seed(static_cast<std::uint64_t>(c.seed));
  CaseMonitor nobody;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    session.queue_epoch(nobody);
    tried.result.losses.push_back(session.trainer->epoch_metrics().front());
  }
  // As one: what a tensor changes by, Adam makes equally large for gradients that are nothing but rounding.
  tried.result.tensors = {{"the change of the parameters", flat_parameters(*session.model).sub(before)}};
  return tried;
}

MachineCache execution_outcomes() { return MachineCache(cache_folder() / "executions"); }

/// All that the outcome depends on.
std::string execution_key(const Case& c, const Device& device) {
  return fmt::format("recording that agrees but for rounding, LibTorch {}, {} ({}), {}, batch {}, {}, {}",
                     TORCH_VERSION, c.device, device.record().model, model_text(c),
                     std::bit_floor(static_cast<std::uint64_t>(c.batch_size)), to_string(c.mode.precision),
                     to_string(c.mode.layout));
}

Choice<Execution> compare_executions(const Case& c, const Dataset& dataset, Device& device,
                                     const Clock& clock) {
  // One after the other: together they would take more memory than the case.
  const Case some = shortened(c, dataset);
  const Tried eager = train(some, Execution::kEager, dataset, device, clock);
  const Tried perturbed = train(some, Execution::kEager, dataset, device, clock, /*is_perturbed=*/true);
  const Tried recorded = train(some, Execution::kAuto, dataset, device, clock);
  // Not kept: what stood in the way may be gone another time.
  if (recorded.execution.used != Execution::kGraph) return recorded.execution;
  const std::string apart =
      disagreement(eager.result, perturbed.result, recorded.result, find_tolerance(c.mode.precision));
  const Choice<Execution> choice =
      apart.empty() ? Choice<Execution>{Execution::kGraph, {}}
                    : Choice<Execution>{Execution::kEager, "recorded steps train otherwise: " + apart};
  keep_choice(execution_outcomes(), execution_key(c, device), choice);
  return choice;
}

/// What the case asks for or what an earlier trial found; nothing where it takes one. The layout of the case
/// is not `auto`.
std::optional<Choice<Execution>> known_execution(const Case& c, const Device& device) {
  const bool is_tried = c.mode.execution == Execution::kAuto && c.mode.loader == Loader::kResident &&
                        device.why_no_graph().empty();
  if (!is_tried) return Choice<Execution>{c.mode.execution, {}};
  return cached_choice<Execution>(execution_outcomes(), execution_key(c, device));
}

/// Makes the trial, and keeps what it found: graph, or eager and why. Never throws for what goes wrong: the
/// note says so.
Choice<Execution> try_execution(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  try {
    return compare_executions(c, dataset, device, clock);
  } catch (const std::exception& error) {
    return {Execution::kEager, "the trial ended with: " + classify(error).message};
  }
}

// The trial of layout: whether both come to the same, and then which is faster.

constexpr Seconds kTrial{0.25};     // Of each layout.
constexpr Seconds kLongStep{0.05};  // A step of so long tells enough, however few samples it has.
constexpr int kLeastRuns = 3;
constexpr std::int64_t kLeastSamples = 64;
constexpr std::int64_t kTrialBatches = 4;
constexpr std::uint64_t kLargeBatch = 256;
constexpr int kComparedSteps = 2;  // Some recipes magnify rounding in every further one.

/// Leaves without parameters or statistics: dropout, above all. It draws in the order of memory, so that the
/// same random numbers would fall on other elements in another layout.
void leave_out_dropout(Model& model) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    if (module->children().empty() && module->parameters().empty() && module->buffers().empty())
      module->eval();
  }
}

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
    seed_ = static_cast<std::uint64_t>(c.seed);
    precision_ = c.mode.precision;
  }

  std::int64_t samples = 0;  ///< Of a step.

  /// On a CPU a part of a batch is enough; on other devices epochs are what is launched.
  bool is_by_step() const { return session_.train->device().is_cpu(); }

  /// What a few steps come to; to be called before anything else has changed the parameters. Very small
  /// batches are taken together: batch normalisation magnifies their rounding. With `is_perturbed` rounding
  /// moves the parameters first.
  TrainingResult result(bool is_perturbed = false) {
    const std::int64_t several = std::min(session_.train->size(), kLeastSamples);
    const std::int64_t count = is_by_step() ? several : std::max(samples, several);
    TrainingResult result;
    at::manual_seed(seed_);
    if (is_perturbed) perturb(session_.model->parameters(), precision_);
    at::manual_seed(seed_);
    for (int step = 0; step < kComparedSteps; ++step) {
      session_.trainer->begin_epoch(count);
      leave_out_dropout(*session_.model);
      session_.trainer->train_on(session_.train->slice(0, count));
      result.losses.push_back(session_.trainer->epoch_metrics().front());
      if (step > 0) continue;
      for (const auto& parameter : session_.model->named_parameters())
        result.tensors.push_back({"the gradient of " + parameter.key(), host_copy(parameter->grad())});
    }
    return result;
  }

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
  std::uint64_t seed_ = 0;
  Precision precision_ = Precision::kFp32;
};

/// The fewest samples, doubling, of which a step is long enough to be timed.
std::int64_t enough_samples(Trial& trial) {
  const std::int64_t most = trial.samples;
  for (trial.samples = std::min(kLeastSamples, most);; trial.samples = std::min(2 * trial.samples, most)) {
    trial.run();  // Selects kernels.
    if (trial.samples == most || trial.run() >= kLongStep) return trial.samples;
  }
}

Choice<Layout> compare_layouts(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  const TrainingResult perturbed = Trial(c, Layout::kNchw, dataset, device, clock).result(true);
  Trial nchw(c, Layout::kNchw, dataset, device, clock);
  Trial last(c, Layout::kChannelsLast, dataset, device, clock);
  const std::string apart =
      disagreement(nchw.result(), perturbed, last.result(), find_tolerance(c.mode.precision));
  if (!apart.empty()) return {Layout::kNchw, "channels-last trains otherwise: " + apart};
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
          fmt::format("{:.3g} ms per step in a trial; {:.3g} ms as {}",
                      1e3 * std::min(by_last, by_nchw).value, 1e3 * std::max(by_last, by_nchw).value,
                      to_string(is_last ? Layout::kNchw : Layout::kChannelsLast))};
}

/// Batches of about the same size share an outcome; on a CPU large ones are tried in part alone.
std::uint64_t like_batch(const Case& c) {
  const auto batch = static_cast<std::uint64_t>(c.batch_size);
  return std::bit_floor(c10::Device(c.device).is_cpu() ? std::min(batch, kLargeBatch) : batch);
}

MachineCache layout_outcomes() { return MachineCache(cache_folder() / "layouts"); }

/// All that the outcome depends on.
std::string layout_key(const Case& c, const Device& device) {
  return fmt::format(
      "layout that agrees but for rounding, LibTorch {}, {} ({}), {} threads, {}, batch {}, {}, {}",
      TORCH_VERSION, c.device, device.record().model, at::get_num_threads(), model_text(c), like_batch(c),
      to_string(c.mode.precision), to_string(c.mode.execution));
}

std::optional<Choice<Layout>> earlier_choice(const Case& c, const Device& device) {
  return cached_choice<Layout>(layout_outcomes(), layout_key(c, device));
}

bool has_convolutions(const Case& c) {
  return std::ranges::any_of(c.model->build(c.sizes)->parameters(), is_convolution_weight);
}

/// The layout that the case asks for or that an earlier trial found; nothing where it takes one. Models
/// without convolutions need none.
std::optional<Choice<Layout>> known_layout(const Case& c, const Device& device) {
  const Choice<Layout> plain{Layout::kNchw, {}};
  if (c.mode.layout != Layout::kAuto) return Choice<Layout>{c.mode.layout, {}};
  const std::string why_not = device.why_no_channels_last();
  if (const auto found = why_not.empty() ? earlier_choice(c, device) : std::nullopt) return found;
  try {
    if (!has_convolutions(c)) return plain;
    return why_not.empty() ? std::nullopt : std::optional(Choice<Layout>{Layout::kNchw, why_not});
  } catch (const std::exception&) {
    return plain;  // What is wrong with the model will show in the case itself.
  }
}

/// Makes the trial, and keeps what it found. Never throws for what goes wrong: the note says so.
Choice<Layout> try_layouts(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  Choice<Layout> choice{Layout::kNchw, {}};
  try {
    choice = compare_layouts(c, dataset, device, clock);
    keep_choice(layout_outcomes(), layout_key(c, device), choice);
  } catch (const std::exception& error) {
    // Two trials take more memory than the case; what else is wrong will show in the case itself.
    choice.note = "the trial ended with: " + classify(error).message;
  }
  return choice;
}

Case in_layout(Case c, Layout layout) {
  c.mode.layout = layout;
  return c;
}

/// `remark` is added to what is said of a layout that was tried.
ResolvedModes resolve_auto(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                           Timeline& timeline, const char* remark) {
  auto layout = known_layout(c, device);
  if (!layout) {
    timeline.time("layout trial", [&] { layout = try_layouts(c, dataset, device, clock); });
    layout->note += remark;
    device.reset_peak_memory();
  }
  const Case settled = in_layout(c, layout->used);
  auto execution = known_execution(settled, device);
  if (!execution) {
    timeline.time("execution trial", [&] { execution = try_execution(settled, dataset, device, clock); });
    device.reset_peak_memory();
  }
  return {*layout, *execution};
}

}  // namespace

std::optional<ResolvedModes> cached_modes(const Case& c, const Device& device) {
  const auto layout = known_layout(c, device);
  if (!layout) return std::nullopt;
  const auto execution = known_execution(in_layout(c, layout->used), device);
  return execution ? std::optional(ResolvedModes{*layout, *execution}) : std::nullopt;
}

ResolvedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  std::vector<Phase> phases;
  Timeline timeline(device, clock, phases);
  return resolve_auto(c, dataset, device, clock, timeline, "");
}

Case with_modes(Case c, const Dataset& dataset, Device& device, const Clock& clock, Timeline& timeline) {
  if (c.tried) return c;
  c.tried = resolve_auto(c, dataset, device, clock, timeline,
                         "; tried in this process, which was the warmer for it");
  return c;
}

}  // namespace gpubench
