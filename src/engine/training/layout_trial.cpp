#include "engine/training/layout_trial.h"

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
#include "engine/torch/failure.h"
#include "engine/training/agreement.h"
#include "engine/training/kept_choice.h"
#include "engine/training/session.h"

namespace gpubench {
namespace {

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

Choice<Layout> compare(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  const TrainingResult perturbed = Trial(c, Layout::kNchw, dataset, device, clock).result(true);
  Trial nchw(c, Layout::kNchw, dataset, device, clock);
  Trial last(c, Layout::kChannelsLast, dataset, device, clock);
  const std::string apart =
      disagreement(nchw.result(), perturbed, last.result(), tolerance_of(c.mode.precision));
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

MachineCache outcomes() { return MachineCache(cache_folder() / "layouts"); }

/// All that the outcome depends on.
std::string key_of(const Case& c, const Device& device) {
  return fmt::format(
      "layout that agrees but for rounding, LibTorch {}, {} ({}), {} threads, {}, batch {}, {}, {}",
      TORCH_VERSION, c.device, device.record().model, at::get_num_threads(), model_text(c), like_batch(c),
      to_string(c.mode.precision), to_string(c.mode.execution));
}

std::optional<Choice<Layout>> earlier_choice(const Case& c, const Device& device) {
  return kept_choice<Layout>(outcomes(), key_of(c, device));
}

bool has_convolutions(const Case& c) {
  return std::ranges::any_of(c.model->build(c.sizes)->parameters(), is_convolution_weight);
}

}  // namespace

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

Choice<Layout> try_layouts(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  Choice<Layout> choice{Layout::kNchw, {}};
  try {
    choice = compare(c, dataset, device, clock);
    keep_choice(outcomes(), key_of(c, device), choice);
  } catch (const std::exception& error) {
    // Two trials take more memory than the case; what else is wrong will show in the case itself.
    choice.note = "the trial ended with: " + classify(error).message;
  }
  return choice;
}

}  // namespace gpubench
