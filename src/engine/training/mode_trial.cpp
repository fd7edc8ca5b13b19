// Resolves the modes `auto` of a case by trials. A mode whose results differ from the plain one is not taken.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/randn_like.h>
#include <c10/core/Device.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "engine/torch/failure.h"
#include "engine/training/runner.h"
#include "engine/training/session.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/record/names.h"

namespace gpubench {
namespace {

/// Results of a short training, from the same parameters, samples and random numbers as another one.
struct TrainingResult {
  std::vector<double> losses;  ///< The model's first figure, of each step or epoch.
  std::vector<std::pair<std::string, at::Tensor>> tensors;  ///< By name; from host_copy().
};

constexpr double kTimesRounding = 3;  // One drawing of rounding may be smaller than another.

double compute_length(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor, /*ord=*/2, /*dim=*/{}, /*keepdim=*/false, at::kDouble).item<double>();
}

double compute_length(const TrainingResult& result) {
  double length = 0;
  for (const auto& [name, values] : result.tensors) length = std::hypot(length, compute_length(values));
  return length;
}

std::string losses_apart(const TrainingResult& plain, const TrainingResult& perturbed,
                         const TrainingResult& other, double tolerance) {
  for (std::size_t i = 0; i < plain.losses.size(); ++i) {
    const double one = plain.losses[i];
    const double another = other.losses[i];
    const double most = std::max(tolerance * std::max(std::abs(one), std::abs(another)),
                                 kTimesRounding * std::abs(one - perturbed.losses[i]));
    if (std::isfinite(one) == std::isfinite(another) && !(std::abs(one - another) > most)) continue;
    return fmt::format("loss {} of the trial is {:.5g} and {:.5g}", i + 1, one, another);
  }
  return {};
}

std::string tensors_apart(const TrainingResult& plain, const TrainingResult& perturbed,
                          const TrainingResult& other, double tolerance) {
  constexpr double kShortLength = 0.01;  // Of the length of all tensors together.
  constexpr double kTiny = std::numeric_limits<double>::min();
  const double whole = compute_length(plain);
  if (!std::isfinite(whole) && !std::isfinite(compute_length(other))) return {};
  for (std::size_t i = 0; i < plain.tensors.size(); ++i) {
    const at::Tensor& values = plain.tensors[i].second;
    const double length = std::max({compute_length(values), kShortLength * whole, kTiny});
    const auto share = [&](const TrainingResult& result) {
      return compute_length(values.sub(result.tensors[i].second)) / length;
    };
    const double apart = share(other);
    if (apart <= std::max(tolerance, kTimesRounding * share(perturbed))) continue;
    return fmt::format("{} is {:.3g} of its length apart", plain.tensors[i].first, apart);
  }
  return {};
}

/// Names a differing result, "loss 2 of the trial is 2.31 and 2.29"; empty if none differs. The limit is a
/// share of the loss or length, far above rounding in another order (unrelated tensors are 1.4 apart), or
/// three times the effect of rounding (`perturbed`). Values that are not finite agree.
std::string disagreement(const TrainingResult& plain, const TrainingResult& perturbed,
                         const TrainingResult& other, Precision precision) {
  const bool is_fp32 = precision == Precision::kFp32;
  const std::string losses = losses_apart(plain, perturbed, other, is_fp32 ? 0.01 : 0.1);
  return losses.empty() ? tensors_apart(plain, perturbed, other, is_fp32 ? 0.2 : 0.7) : losses;
}

/// Returns a copy in fp32 in host memory, contiguous; empty if the tensor is undefined. Waits for the device.
at::Tensor host_copy(const at::Tensor& tensor) {
  if (!tensor.defined()) return at::empty({0});
  return tensor.detach().to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true,
                            at::MemoryFormat::Contiguous);
}

at::Tensor flat_parameters(const Model& model) {
  return at::cat(
      mapped(model.parameters(), [](const at::Tensor& each) { return host_copy(each).flatten(); }));
}

double find_rounding(Precision precision) {
  if (precision == Precision::kFp32) return std::numeric_limits<float>::epsilon();
  const bool is_bf16 = precision == Precision::kBf16 || precision == Precision::kAmpBf16;
  // TF32 has the digits of fp16.
  return is_bf16 ? std::numeric_limits<c10::BFloat16>::epsilon() : std::numeric_limits<c10::Half>::epsilon();
}

/// Moves the parameters by about a rounding, to show how far training magnifies it.
void perturb(const Model& model, Precision precision) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : model.parameters()) {
    const at::Tensor values = parameter.to(at::kFloat);
    parameter.copy_(values.addcmul(values, at::randn_like(values), find_rounding(precision)));
  }
}

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

/// Has the outcomes of trials: the mode on the first line, then its note.
template <class Mode>
MachineCache outcomes() {
  return MachineCache(cache_folder() / (std::is_same_v<Mode, Layout> ? "layouts" : "executions"));
}

template <class Mode>
std::optional<Choice<Mode>> find_choice(const Case& c, const Device& device) {
  const auto text = outcomes<Mode>().find(trial_key(c, device));
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
void keep_choice(const Case& c, const Device& device, const Choice<Mode>& choice) {
  outcomes<Mode>().store(trial_key(c, device), to_string(choice.used) + "\n" + choice.note);
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
  const Session session = open_session(c, dataset, device, clock);
  Tried tried{session.execution, {}};
  if (is_perturbed) perturb(*session.model, c.asked.mode.precision);
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
        disagreement(eager.result, perturbed.result, recorded.result, c.asked.mode.precision);
    Choice<Execution> choice{Execution::kGraph, {}};
    if (!apart.empty()) choice = {Execution::kEager, "recorded steps train otherwise: " + apart};
    keep_choice(c, device, choice);
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
  return find_choice<Execution>(c, device);
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
    session_ = open_session(c, dataset, device, clock);
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
    if (is_perturbed) perturb(*session_.model, precision_);
    at::manual_seed(seed_);
    for (int step = 0; step < kSteps; ++step) {
      session_.trainer->begin_epoch(count);
      leave_out_dropout();
      session_.trainer->train_on(session_.train->slice(0, count));
      result.losses.push_back(session_.trainer->epoch_metrics().front());
      if (step > 0) continue;
      for (const auto& parameter : session_.model->named_parameters())
        result.tensors.emplace_back("the gradient of " + parameter.key(), host_copy(parameter->grad()));
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
  const std::string apart = disagreement(nchw.result(), perturbed, last.result(), c.asked.mode.precision);
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
    keep_choice(c, device, choice);
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
    if (const auto found = find_choice<Layout>(c, device)) return found;
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
  const auto execution = layout ? known_execution(in_layout(c, layout->used), device) : std::nullopt;
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
