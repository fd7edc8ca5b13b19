#include "engine/training/layout_choice.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "engine/plan/describe.h"
#include "engine/torch/failure.h"
#include "engine/training/model_format.h"
#include "engine/training/session.h"
#include "gpubench/core/io/machine_cache.h"

namespace gpubench {
namespace {

constexpr Seconds kTrial{0.25};     // Of each layout.
constexpr Seconds kLongStep{0.05};  // A step of so long tells enough, however few samples it has.
constexpr int kLeastRuns = 3;
constexpr std::int64_t kLeastSamples = 64;
constexpr std::int64_t kTrialBatches = 4;
constexpr std::uint64_t kLargeBatch = 256;

class NobodyWatches : public CaseMonitor {
 public:
  void steps_finished(std::int64_t) override {}
  void case_opened(const CaseRecord&) override {}
  void epoch_finished(const EpochRecord&) override {}
  StopRequest stop_request() override { return StopRequest::kNone; }
};

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
    samples_ = std::min(c.batch_size, c.limit);
  }

  /// On a CPU a part of a batch is enough; on other devices epochs are what is launched.
  bool is_by_step() const { return session_.train->device().is_cpu(); }

  std::int64_t samples() const { return samples_; }
  void set_samples(std::int64_t samples) { samples_ = samples; }

  Seconds run() {
    NobodyWatches nobody;
    TimedWindow window(device_, clock_);
    if (is_by_step())
      session_.queue_step(samples_);
    else
      session_.queue_epoch(nobody);
    const Seconds duration = window.close();
    fastest_ = std::min(fastest_, duration);
    return duration;
  }

  /// Forgets the runs so far, which selected kernels.
  void start() { fastest_ = {std::numeric_limits<double>::infinity()}; }
  Seconds fastest() const { return fastest_; }

 private:
  Device& device_;
  const Clock& clock_;
  Session session_;
  std::int64_t samples_ = 0;
  Seconds fastest_{std::numeric_limits<double>::infinity()};
};

/// The fewest samples, doubling, of which a step is long enough to be timed.
std::int64_t enough_samples(Trial& trial) {
  const std::int64_t most = trial.samples();
  for (std::int64_t samples = std::min(kLeastSamples, most);; samples = std::min(2 * samples, most)) {
    trial.set_samples(samples);
    trial.run();  // Selects kernels.
    if (samples == most || trial.run() >= kLongStep) return samples;
  }
}

Choice<Layout> compare(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  Trial nchw(c, Layout::kNchw, dataset, device, clock);
  Trial last(c, Layout::kChannelsLast, dataset, device, clock);
  if (nchw.is_by_step()) last.set_samples(enough_samples(nchw));
  nchw.run();
  last.run();
  nchw.start();
  last.start();
  // In turns, so that a machine that grows slower does so for both.
  const Seconds start = clock.now();
  for (int runs = 0; runs < kLeastRuns || clock.now() - start < kTrial + kTrial; ++runs) {
    nchw.run();
    last.run();
  }
  const bool is_last = last.fastest() < nchw.fastest();
  return {is_last ? Layout::kChannelsLast : Layout::kNchw,
          fmt::format("a trial took {:.3g} ms, {:.3g} ms as {}",
                      1e3 * std::min(last.fastest(), nchw.fastest()).value,
                      1e3 * std::max(last.fastest(), nchw.fastest()).value,
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
    return Choice<Layout>{layout_named(text->substr(0, line)),
                          text->substr(std::min(line + 1, text->size()))};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Choice<Layout> choose_layout(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                             Timeline& timeline) {
  if (c.mode.layout != Layout::kAuto) return {c.mode.layout, {}};
  const MachineCache cache(cache_folder() / "layouts");
  const std::string key = key_of(c, device);
  if (const auto known = known_choice(cache, key)) return *known;
  Choice<Layout> choice{Layout::kNchw, {}};
  if (!has_convolutions(*c.model->build(c.sizes))) return choice;
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

}  // namespace gpubench
