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
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/record/names.h"

namespace gpubench {
namespace {

// Stored outcomes: the mode on the first line, then its note.
constexpr const char* kLayouts = "layouts";
constexpr const char* kExecutions = "executions";

/// Batches of about the same size share an outcome; on a CPU large ones are tried in part only.
std::string trial_key(const Case& c, const Device& device) {
  constexpr std::uint64_t kLargeBatch = 256;
  const auto batch = static_cast<std::uint64_t>(c.asked.batch_size);
  const bool is_cpu = c10::Device(c.asked.device).is_cpu();
  return fmt::format("agrees but for rounding, LibTorch {}, {} ({}), {} threads, {}, batch {}, {}, {}, {}",
                     TORCH_VERSION, c.asked.device, device.record().model, at::get_num_threads(),
                     model_text(c), std::bit_floor(is_cpu ? std::min(batch, kLargeBatch) : batch),
                     to_string(c.asked.mode.precision), to_string(c.asked.mode.execution),
                     to_string(c.asked.mode.layout));
}

template <class Mode>
std::optional<Choice<Mode>> find_choice(const char* kind, const std::string& key) {
  const auto text = MachineCache(cache_folder() / kind).find(key);
  if (!text) return std::nullopt;
  const std::size_t line = std::min(text->find('\n'), text->size());
  try {
    return Choice<Mode>{value_named<Mode>(text->substr(0, line)),
                        text->substr(std::min(line + 1, text->size()))};
  } catch (const Error&) {
    return std::nullopt;
  }
}

template <class Mode>
void keep_choice(const char* kind, const std::string& key, const Choice<Mode>& choice) {
  MachineCache(cache_folder() / kind).store(key, to_string(choice.used) + "\n" + choice.note);
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
  constexpr int kEpochs = 2;  // The second shows random numbers and counters that a replay does not advance.
  c.asked.mode.execution = execution;
  std::vector<Phase> phases;
  Timeline timeline(device, clock, phases);
  const Session session = open_session(c, dataset, device, clock, timeline);
  Tried tried{session.execution, {}};
  if (is_perturbed) perturb(session.model->parameters(), c.asked.mode.precision);
  const at::Tensor before = flat_parameters(*session.model);
  // From here on both draw the same: an order an epoch, then what the model draws.
  at::manual_seed(static_cast<std::uint64_t>(c.asked.seed));
  CaseMonitor nobody;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    session.queue_epoch(nobody);
    tried.result.losses.push_back(session.trainer->epoch_metrics().front());
  }
  // As one tensor: Adam makes large changes of gradients that are nothing but rounding.
  tried.result.tensors = {{"the change of the parameters", flat_parameters(*session.model).sub(before)}};
  return tried;
}

/// Returns graph, or eager and why. Never throws for what goes wrong: the note says so.
Choice<Execution> try_execution(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  try {
    // One full batch an epoch, and the batch that follows the full ones in the case's own epochs.
    Case some = c;
    const std::int64_t samples = used_samples(dataset.train.size(), c.asked.max_samples);
    const std::int64_t rest = samples % c.asked.batch_size;
    some.asked.max_samples =
        used_samples(samples, c.asked.batch_size + (rest > 0 ? rest : c.asked.batch_size));
    some.asked.protocol = Protocol::kEpoch;
    // One after the other: together they would take more memory than the case.
    const Tried eager = train(some, Execution::kEager, dataset, device, clock);
    const Tried perturbed = train(some, Execution::kEager, dataset, device, clock, /*is_perturbed=*/true);
    const Tried recorded = train(some, Execution::kAuto, dataset, device, clock);
    // Not kept: the obstacle may be gone another time.
    if (recorded.execution.used != Execution::kGraph) return recorded.execution;
    const std::string apart =
        disagreement(eager.result, perturbed.result, recorded.result, find_tolerance(c.asked.mode.precision));
    Choice<Execution> choice{Execution::kGraph, {}};
    if (!apart.empty()) choice = {Execution::kEager, "recorded steps train otherwise: " + apart};
    keep_choice(kExecutions, trial_key(c, device), choice);
    return choice;
  } catch (const std::exception& error) {
    return {Execution::kEager, "the trial ended with: " + classify(error).message};
  }
}

/// Returns nothing if a trial is needed. The layout of the case is not `auto`.
std::optional<Choice<Execution>> known_execution(const Case& c, const Device& device) {
  const bool is_tried = c.asked.mode.execution == Execution::kAuto &&
                        c.asked.mode.loader == Loader::kResident && device.why_no_graph().empty();
  if (!is_tried) return Choice<Execution>{c.asked.mode.execution, {}};
  return find_choice<Execution>(kExecutions, trial_key(c, device));
}

constexpr std::int64_t kLeastSamples = 64;

class Trial {
 public:
  Trial(Case c, Layout layout, const Dataset& dataset, Device& device, const Clock& clock)
      : device_(device),
        clock_(clock),
        seed_(static_cast<std::uint64_t>(c.asked.seed)),
        precision_(c.asked.mode.precision) {
    constexpr std::int64_t kBatches = 4;
    c.asked.mode.layout = layout;
    c.asked.mode.loader = Loader::kResident;
    c.asked.protocol = Protocol::kEpoch;
    c.asked.max_samples =
        used_samples(used_samples(dataset.train.size(), c.asked.max_samples), kBatches * c.asked.batch_size);
    std::vector<Phase> phases;
    Timeline timeline(device, clock, phases);
    session_ = open_session(c, dataset, device, clock, timeline);
    samples = std::min(c.asked.batch_size, c.asked.max_samples);
  }

  std::int64_t samples = 0;  ///< Of a step.

  /// On a CPU a part of a batch is enough; on other devices epochs are what is launched.
  bool is_by_step() const { return session_.train->device().is_cpu(); }

  /// Takes small batches together, since batch normalization magnifies their rounding. Call it before the
  /// parameters change. With `is_perturbed` rounding moves them first.
  TrainingResult result(bool is_perturbed = false) {
    constexpr int kSteps = 2;  // Some recipes magnify rounding in every further one.
    const std::int64_t several = std::min(session_.train->size(), kLeastSamples);
    const std::int64_t count = is_by_step() ? several : std::max(samples, several);
    TrainingResult result;
    at::manual_seed(seed_);
    if (is_perturbed) perturb(session_.model->parameters(), precision_);
    at::manual_seed(seed_);
    for (int step = 0; step < kSteps; ++step) {
      session_.trainer->begin_epoch(count);
      leave_out_dropout();
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

  /// Sets `samples` to the fewest, doubling, whose step is long enough to be timed.
  void shrink() {
    constexpr Seconds kLongStep{0.05};
    const std::int64_t most = samples;
    for (samples = std::min(kLeastSamples, most);; samples = std::min(2 * samples, most)) {
      run();  // Selects kernels.
      if (samples == most || run() >= kLongStep) return;
    }
  }

 private:
  /// Leaves out dropout above all, whose random numbers would fall on other elements in another layout.
  void leave_out_dropout() {
    for (const auto& module : session_.model->modules(/*include_self=*/false)) {
      if (module->children().empty() && module->parameters().empty() && module->buffers().empty())
        module->eval();
    }
  }

  Device& device_;
  const Clock& clock_;
  Session session_;
  std::uint64_t seed_;
  Precision precision_;
};

Choice<Layout> compare_layouts(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  constexpr Seconds kTime{0.5};
  constexpr int kLeastRuns = 3;
  const TrainingResult perturbed = Trial(c, Layout::kNchw, dataset, device, clock).result(true);
  Trial nchw(c, Layout::kNchw, dataset, device, clock);
  Trial last(c, Layout::kChannelsLast, dataset, device, clock);
  const std::string apart =
      disagreement(nchw.result(), perturbed, last.result(), find_tolerance(c.asked.mode.precision));
  if (!apart.empty()) return {Layout::kNchw, "channels-last trains otherwise: " + apart};
  if (nchw.is_by_step()) {
    nchw.shrink();
    last.samples = nchw.samples;
  }
  nchw.run();  // Selects kernels.
  last.run();
  Seconds by_nchw{std::numeric_limits<double>::infinity()};
  Seconds by_last = by_nchw;
  // In turns, so that a machine that slows down does so for both.
  const Seconds start = clock.now();
  for (int runs = 0; runs < kLeastRuns || clock.now() - start < kTime; ++runs) {
    by_nchw = std::min(by_nchw, nchw.run());
    by_last = std::min(by_last, last.run());
  }
  const bool is_last = by_last < by_nchw;
  return {is_last ? Layout::kChannelsLast : Layout::kNchw,
          fmt::format("{:.3g} ms per step in a trial; {:.3g} ms as {}",
                      1e3 * std::min(by_last, by_nchw).value, 1e3 * std::max(by_last, by_nchw).value,
                      to_string(is_last ? Layout::kNchw : Layout::kChannelsLast))};
}

/// Makes the trial, and keeps what it found. Never throws for what goes wrong: the note says so.
Choice<Layout> try_layouts(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  try {
    const Choice<Layout> choice = compare_layouts(c, dataset, device, clock);
    keep_choice(kLayouts, trial_key(c, device), choice);
    return choice;
  } catch (const std::exception& error) {
    // Two trials take more memory than the case; other faults will show in the case itself.
    return {Layout::kNchw, "the trial ended with: " + classify(error).message};
  }
}

/// Returns nothing if a trial is needed. Models without convolutions need none.
std::optional<Choice<Layout>> known_layout(const Case& c, const Device& device) {
  if (c.asked.mode.layout != Layout::kAuto) return Choice<Layout>{c.asked.mode.layout, {}};
  const std::string why_not = device.why_no_channels_last();
  if (why_not.empty()) {
    if (const auto found = find_choice<Layout>(kLayouts, trial_key(c, device))) return found;
  }
  bool has_convolutions = false;
  try {
    has_convolutions = std::ranges::any_of(c.model->build(c.sizes)->parameters(), is_convolution_weight);
  } catch (const std::exception&) {
    // A fault of the model will show in the case itself.
  }
  if (!has_convolutions) return Choice<Layout>{Layout::kNchw, {}};
  return why_not.empty() ? std::nullopt : std::optional(Choice<Layout>{Layout::kNchw, why_not});
}

Case in_layout(Case c, Layout layout) {
  c.asked.mode.layout = layout;
  return c;
}

/// `remark` is added to the note of a layout that was tried.
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
