// Resolves the modes `auto` of a case by trials. Rejects modes whose results differ from the default mode.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <fmt/format.h>

#include "engine/torch/failure.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/names.h"
#include "workloads/cases/runner.h"
#include "workloads/cases/session.h"

namespace gpubench {
namespace {

/// Results of a short training. Compared trainings have equal parameters, samples and random numbers.
struct TrainingResult {
  std::vector<double> losses;                               ///< First metric of the model per step or epoch.
  std::vector<std::pair<std::string, at::Tensor>> tensors;  ///< Names and host copies.
};

constexpr double kTimesRounding = 3;  // Safety factor, since rounding errors are random.

double compute_norm(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor, /*ord=*/2, /*dim=*/{}, /*keepdim=*/false, at::kDouble).item<double>();
}

/// Returns the difference of `other` from `plain` as a text. Empty if it is below `tolerance`, as a fraction
/// of the norm, or explained by rounding (`perturbed`), or if both are not finite.
std::string compare_tensors(const std::string& name, const at::Tensor& plain, const at::Tensor& perturbed,
                            const at::Tensor& other, double least_norm, double tolerance) {
  const double own_norm = compute_norm(plain);
  if (!std::isfinite(own_norm) && !std::isfinite(compute_norm(other))) return {};
  const double norm = std::max({own_norm, least_norm, std::numeric_limits<double>::min()});
  const auto share = [&](const at::Tensor& values) { return compute_norm(plain.sub(values)) / norm; };
  const double difference = share(other);
  if (difference <= std::max(tolerance, kTimesRounding * share(perturbed))) return {};
  return fmt::format("{} differs by {:.3g} of its norm", name, difference);
}

/// Returns the first differing result as a text; empty if all agree. The tolerances are far above rounding in
/// a different order; unrelated tensors differ by 1.4.
std::string find_difference(const TrainingResult& plain, const TrainingResult& perturbed,
                            const TrainingResult& other, Precision precision) {
  constexpr double kSmallNorm = 0.01;  // Fraction of the norm of all tensors together.
  const bool is_fp32 = precision == Precision::kFp32;
  const auto losses = [](const TrainingResult& result) { return at::tensor(result.losses, at::kDouble); };
  std::string difference =
      compare_tensors("the loss", losses(plain), losses(perturbed), losses(other), 0, is_fp32 ? 0.01 : 0.1);
  double whole = 0;
  for (const auto& [name, values] : plain.tensors) whole = std::hypot(whole, compute_norm(values));
  for (std::size_t i = 0; i < plain.tensors.size() && difference.empty(); ++i) {
    const auto& [name, values] = plain.tensors[i];
    difference = compare_tensors(name, values, perturbed.tensors[i].second, other.tensors[i].second,
                                 kSmallNorm * whole, is_fp32 ? 0.2 : 0.7);
  }
  return difference;
}

/// Returns a contiguous fp32 copy in host memory; empty if the tensor is undefined. Waits for the device.
at::Tensor host_copy(const at::Tensor& tensor) {
  if (!tensor.defined()) return at::empty({0});
  return tensor.detach().to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true,
                            at::MemoryFormat::Contiguous);
}

at::Tensor flat_parameters(const Model& model) {
  return at::cat(
      mapped(model.parameters(), [](const at::Tensor& each) { return host_copy(each).flatten(); }));
}

/// Resets the random numbers to the seed. If requested, first changes the parameters by about one rounding
/// error, to measure how far training amplifies it.
void start_equal(const Case& c, const Session& session, bool is_perturbed) {
  const auto seed = static_cast<std::uint64_t>(c.asked.seed);
  at::manual_seed(seed);
  if (!is_perturbed) return;
  const Precision precision = c.asked.mode.precision;
  double rounding = std::numeric_limits<c10::Half>::epsilon();  // Also that of TF32.
  if (precision == Precision::kFp32) rounding = std::numeric_limits<float>::epsilon();
  if (precision == Precision::kBf16 || precision == Precision::kAmpBf16)
    rounding = std::numeric_limits<c10::BFloat16>::epsilon();
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : session.model->parameters()) {
    const at::Tensor values = parameter.to(at::kFloat);
    parameter.copy_(values.addcmul(values, at::randn_like(values), rounding));
  }
  at::manual_seed(seed);
}

/// Trains two epochs. The second detects random numbers and counters that a replay does not advance.
TrainingResult train_epochs(const Case& c, const Session& session, bool is_perturbed = false) {
  start_equal(c, session, is_perturbed);
  const at::Tensor before = flat_parameters(*session.model);
  TrainingResult result;
  CaseMonitor monitor;
  for (int epoch = 0; epoch < 2; ++epoch) {
    session.queue_epoch(monitor);
    result.losses.push_back(session.steps->epoch_figures().front());
  }
  // Compares all parameters as one tensor, since Adam turns gradients of mere rounding into large changes.
  result.tensors = {{"the change of the parameters", flat_parameters(*session.model).sub(before)}};
  return result;
}

Choice<Execution> try_execution(Case c, const Dataset& dataset, const Timeline& timeline) {
  // One full batch per epoch, and the short last batch of the case's epochs.
  const std::int64_t batch = c.asked.batch_size;
  const std::int64_t rest = c.asked.max_samples % batch;
  c.asked.max_samples = used_samples(c.asked.max_samples, batch + (rest > 0 ? rest : batch));
  const auto open = [&](Execution execution) {
    c.asked.mode.execution = execution;
    return open_session(c, dataset, timeline.device, timeline.clock);
  };
  // Sessions are opened one at a time: together they would need more memory than the case.
  const TrainingResult eager = train_epochs(c, open(Execution::kEager));
  const TrainingResult perturbed = train_epochs(c, open(Execution::kEager), /*is_perturbed=*/true);
  const Session session = open(Execution::kAuto);
  // Not lasting, since the failure may be temporary.
  if (session.execution.used != Execution::kGraph) return session.execution;
  const std::string difference =
      find_difference(eager, perturbed, train_epochs(c, session), c.asked.mode.precision);
  if (difference.empty()) return {Execution::kGraph, {}, /*is_lasting=*/true};
  return {Execution::kEager, "recorded steps have different results: " + difference, /*is_lasting=*/true};
}

constexpr std::int64_t kLeastSamples = 64;

/// Returns whether trials time steps of a part of a batch, as on a CPU, instead of epochs.
bool is_by_step(const Session& session) { return session.train->device().is_cpu(); }

/// Trains only two steps, since some recipes amplify rounding in every step. Merges small batches, since
/// batch normalization amplifies their rounding.
TrainingResult train_steps(const Case& c, const Session& session, bool is_perturbed = false) {
  const std::int64_t several = std::min(session.train->size(), kLeastSamples);
  const std::int64_t batch = std::min(c.asked.batch_size, session.train->size());
  const std::int64_t count = is_by_step(session) ? several : std::max(batch, several);
  start_equal(c, session, is_perturbed);
  TrainingResult result;
  for (int step = 0; step < 2; ++step) {
    session.steps->begin_epoch(count);
    session.steps->switch_dropout_off();  // It would drop different elements in another layout.
    session.steps->run_step(session.train->slice(0, count));
    result.losses.push_back(session.steps->epoch_figures().front());
    if (step > 0) continue;
    for (const auto& parameter : session.model->named_parameters())
      result.tensors.emplace_back("the gradient of " + parameter.key(), host_copy(parameter->grad()));
  }
  return result;
}

/// Returns the smallest number of samples, doubling up to a batch, whose step is long enough to be timed.
template <class Time>
std::int64_t count_timed_samples(std::int64_t batch, Time time) {
  constexpr Seconds kLongStep{0.05};
  for (std::int64_t samples = std::min(kLeastSamples, batch);; samples = std::min(2 * samples, batch)) {
    time(samples);  // The first step selects kernels.
    if (samples == batch || time(samples) >= kLongStep) return samples;
  }
}

Choice<Layout> choose_faster(Session& nchw, Session& last, std::int64_t batch, const Timeline& timeline) {
  constexpr Seconds kTime{0.5};
  constexpr int kLeastRuns = 3;
  CaseMonitor monitor;
  const auto time = [&](Session& session, std::int64_t samples) {
    return time_work(timeline.device, timeline.clock, [&] {
      if (is_by_step(session))
        session.queue_step(samples);
      else
        session.queue_epoch(monitor);
    });
  };
  const std::int64_t samples =
      is_by_step(nchw) ? count_timed_samples(batch, [&](std::int64_t count) { return time(nchw, count); })
                       : batch;
  time(nchw, samples);  // The first step selects kernels.
  time(last, samples);
  Seconds by_nchw{std::numeric_limits<double>::infinity()};
  Seconds by_last = by_nchw;
  // Interleaves both layouts, so that a slowdown of the machine affects both.
  const Seconds start = timeline.clock.now();
  for (int runs = 0; runs < kLeastRuns || timeline.clock.now() - start < kTime; ++runs) {
    by_nchw = std::min(by_nchw, time(nchw, samples));
    by_last = std::min(by_last, time(last, samples));
  }
  const bool is_last = by_last < by_nchw;
  return {is_last ? Layout::kChannelsLast : Layout::kNchw,
          fmt::format("{:.3g} ms per step in a trial, {:.3g} ms with {}",
                      1e3 * std::min(by_last, by_nchw).value, 1e3 * std::max(by_last, by_nchw).value,
                      to_string(is_last ? Layout::kNchw : Layout::kChannelsLast)),
          /*is_lasting=*/true};
}

Choice<Layout> try_layouts(Case c, const Dataset& dataset, const Timeline& timeline) {
  constexpr std::int64_t kBatches = 4;
  c.asked.mode.loader = Loader::kResident;
  c.asked.max_samples = used_samples(c.asked.max_samples, kBatches * c.asked.batch_size);
  const auto open = [&](Layout layout) {
    c.asked.mode.layout = layout;
    return open_session(c, dataset, timeline.device, timeline.clock);
  };
  const TrainingResult perturbed = train_steps(c, open(Layout::kNchw), /*is_perturbed=*/true);
  Session nchw = open(Layout::kNchw);
  Session last = open(Layout::kChannelsLast);
  const std::string difference =
      find_difference(train_steps(c, nchw), perturbed, train_steps(c, last), c.asked.mode.precision);
  if (!difference.empty())
    return {Layout::kNchw, "channels-last has different results: " + difference, /*is_lasting=*/true};
  return choose_faster(nchw, last, std::min(c.asked.batch_size, c.asked.max_samples), timeline);
}

/// Returns the layout, or nothing if a trial is needed. Models without convolutions need no trial.
std::optional<Choice<Layout>> known_layout(const Case& c, const Device& device) {
  if (c.asked.mode.layout != Layout::kAuto) return Choice<Layout>{c.asked.mode.layout, {}};
  const std::string why_not = device.why_no_channels_last();
  if (why_not.empty() && c.tried.layout) return c.tried.layout;
  try {
    if (!std::ranges::any_of(c.model->build(c.sizes)->parameters(), is_convolution_weight))
      return Choice<Layout>{Layout::kNchw, {}, /*is_lasting=*/true};
  } catch (const std::exception&) {
    return Choice<Layout>{Layout::kNchw, {}};  // The case itself will report the failure of the model.
  }
  return why_not.empty() ? std::nullopt : std::optional(Choice<Layout>{Layout::kNchw, why_not});
}

/// Returns the choice of `attempt`, or `plain` if the trial fails, for example for lack of memory.
template <class Mode, class Try>
Choice<Mode> time_trial(const char* name, Mode plain, Timeline& timeline, Try attempt) {
  Choice<Mode> choice{plain, {}};
  timeline.time(name, [&] {
    try {
      choice = attempt();
    } catch (const std::exception& error) {
      choice.note = "the trial failed: " + classify(error).message;
    }
  });
  timeline.device.reset_peak_memory();
  return choice;
}

}  // namespace

ResolvedModes known_modes(const Case& c, const Device& device) {
  const TrainingMode& mode = c.asked.mode;
  const bool is_tried =
      mode.execution == Execution::kAuto && mode.loader == Loader::kResident && device.why_no_graph().empty();
  return {known_layout(c, device), is_tried ? c.tried.execution : Choice<Execution>{mode.execution, {}}};
}

ResolvedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  std::vector<Phase> phases;
  Timeline timeline{device, clock, phases};
  return with_modes(c, dataset, timeline).tried;
}

Case with_modes(Case c, const Dataset& dataset, Timeline& timeline) {
  if (c.tried.is_whole()) return c;
  Case trial = c;
  trial.tried = {};  // Trials set their modes themselves.
  trial.asked.max_samples = used_samples(dataset.train.size(), c.asked.max_samples);
  if (c.is_training()) trial.asked.protocol = "epoch";
  c.tried = known_modes(c, timeline.device);
  if (!c.tried.layout) {
    c.tried.layout = time_trial("layout trial", Layout::kNchw, timeline,
                                [&] { return try_layouts(trial, dataset, timeline); });
  }
  trial.asked.mode.layout = c.tried.layout->used;
  if (!c.tried.execution) {
    c.tried.execution = time_trial("execution trial", Execution::kEager, timeline,
                                   [&] { return try_execution(trial, dataset, timeline); });
  }
  return c;
}

}  // namespace gpubench
