#include "power/trace/sampler.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/power_meter.h"

namespace gpubench {
namespace {

class ConditionPause : public SamplerPause {
 public:
  void wait(Seconds duration) override {
    const std::chrono::duration<double> seconds(std::max(0.0, duration.value));
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, seconds, [this] { return is_woken_; });
    is_woken_ = false;
  }

  void wake() override {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
    woken_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
};

constexpr double kUnknown = 0.050;  // Until enough changes are known.
constexpr double kShortest = 0.005;
constexpr double kLongest = 1;
constexpr std::size_t kEnough = 8;
constexpr std::size_t kRemembered = 32;

/// Estimates from its readings how often a source is updated, and the processor time of a reading.
class Pace {
 public:
  /// `share`: fraction of a core that this source may use.
  explicit Pace(double share) : share_(share) {}

  /// Adds a reading at `time` that took `cost` of processor time.
  void add(Seconds time, const PowerReading& reading, Seconds cost) {
    // Ignores the cost of the first reading, which also loads code and data.
    if (readings_++ > 0) cost_ += (cost.value - cost_) / static_cast<double>(readings_ - 1);
    if (!reading.energy.has_value() && !reading.power.has_value()) return;
    const double value =
        reading.energy.has_value() ? reading.energy.value().value : reading.power.value().value;
    const std::optional<double> before = std::exchange(value_, value);
    if (!before.has_value() || *before == value) return;
    if (changed_.has_value()) {
      between_changes_.push_back((time - *changed_).value);
      if (between_changes_.size() > kRemembered) between_changes_.erase(between_changes_.begin());
    }
    changed_ = time;
  }

  Seconds period() const {
    // Equal values in a row hide changes and make times too long, so shorter times are more accurate.
    const double wanted =
        between_changes_.size() < kEnough ? kUnknown : compute_quantile(between_changes_, 0.25) / 2;
    return {std::max(std::clamp(wanted, kShortest, kLongest), cost_ / share_)};
  }

 private:
  double share_;
  double cost_ = 0;  ///< Mean cost of the readings after the first.
  std::size_t readings_ = 0;
  std::optional<double> value_;
  std::optional<Seconds> changed_;
  std::vector<double> between_changes_;  ///< The latest times between changes.
};

/// Slightly below the promised 0.5 % of the cores, since the cost of a reading is known only afterwards. On
/// an H100 a reading of the energy counter takes 4 ms: with one core that allows one reading per second.
constexpr double kShareOfCores = 0.0045;
/// Most samples kept per source: more than an hour at 50 ms.
constexpr std::size_t kMostSamples = 100'000;

/// Opens a new log, or continues one of gpubench.
std::ofstream open_log(const std::filesystem::path& path) {
  std::ofstream log;
  if (path.empty()) return log;
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  require(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status),
          "--power-log {}: not a regular file; choose another path", path.string());
  std::string first;
  std::getline(std::ifstream(path), first);
  require(first.empty() || first == kRawLogHeader,
          "--power-log {}: not a power log of gpubench; choose another path", path.string());
  log.open(path, std::ios::app);
  if (first.empty()) log << kRawLogHeader << '\n';
  require(log.flush().good(), "--power-log {}: cannot be written; check its folder", path.string());
  return log;
}

/// Drops every second sample of the older half, which mostly belongs to finished cases.
void thin_out(std::vector<PowerSample>& samples) {
  if (samples.size() < kMostSamples) return;
  const std::size_t half = samples.size() / 2;
  for (std::size_t i = 1; 2 * i < half; ++i) samples[i] = std::move(samples[2 * i]);
  const auto kept = static_cast<std::ptrdiff_t>((half + 1) / 2);
  samples.erase(samples.begin() + kept, samples.begin() + static_cast<std::ptrdiff_t>(half));
}

/// A source and its next reading. Used by the sampler's thread only.
struct Watched {
  PowerSource source;
  Pace pace;
  Seconds due{0};
};

class Sampler : public PowerSampler {
 public:
  Sampler(PowerSources sources, double cores, const Clock& clock, SamplerPause& pause,
          const std::filesystem::path& raw_log)
      : clock_(clock), pause_(pause), start_(clock.now()), log_(open_log(raw_log)) {
    const double share =
        kShareOfCores * std::max(1.0, cores) / static_cast<double>(std::max<std::size_t>(1, sources.size()));
    for (PowerSource& source : sources) {
      traces_.push_back({source.facts, {}});
      watched_.push_back({std::move(source), Pace(share), start_});
    }
    if (watched_.empty()) return;
    // Leaves signals to the threads that handle them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~Sampler() override {
    is_stopping_ = true;
    pause_.wake();
    if (thread_.joinable()) thread_.join();
  }

  std::vector<PowerTrace> traces_since(Seconds begin) override {
    const std::lock_guard lock(mutex_);
    return mapped(traces_, [&](const PowerTrace& trace) {
      const auto first = std::ranges::lower_bound(trace.samples, begin, {}, &PowerSample::time);
      return PowerTrace{trace.facts, {first, trace.samples.end()}};
    });
  }

  double load() const override {
    const double seconds = (clock_.now() - start_).value;
    return seconds > 0 ? processor_seconds_ / seconds : 0;
  }

 private:
  void run() {
    while (!is_stopping_) {
      for (std::size_t i = 0; i < watched_.size(); ++i) {
        if (watched_[i].due <= clock_.now()) read(i);
      }
      const Seconds next = std::ranges::min_element(watched_, {}, &Watched::due)->due;
      if (log_.is_open()) log_.flush();
      pause_.wait({std::max(0.0, (next - clock_.now()).value)});
    }
  }

  void read(std::size_t i) {
    Watched& watched = watched_[i];
    const Seconds before = clock_.now();
    PowerSample sample{before, watched.source.read()};
    sample.time = {(before.value + clock_.now().value) / 2};
    if (log_.is_open()) log_ << raw_log_line(watched.source.facts, sample);
    // Includes all work of the thread since the last reading, such as waking up.
    const Seconds spent = read_clock(CLOCK_THREAD_CPUTIME_ID);
    watched.pace.add(sample.time, sample.reading, spent - Seconds{processor_seconds_});
    processor_seconds_ = spent.value;
    watched.due = before + watched.pace.period();
    const std::lock_guard lock(mutex_);
    traces_[i].samples.push_back(std::move(sample));
    thin_out(traces_[i].samples);
  }

  const Clock& clock_;
  SamplerPause& pause_;
  const Seconds start_;
  std::ofstream log_;
  std::vector<Watched> watched_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<double> processor_seconds_ = 0;
  std::mutex mutex_;
  std::vector<PowerTrace> traces_;  ///< Guarded by mutex_.
  std::thread thread_;              ///< Last, so that it starts after all that it uses.
};

}  // namespace

std::unique_ptr<SamplerPause> make_pause() { return std::make_unique<ConditionPause>(); }

std::unique_ptr<PowerSampler> start_sampler(PowerSources sources, double cores, const Clock& clock,
                                            SamplerPause& pause, const std::filesystem::path& raw_log) {
  return std::make_unique<Sampler>(std::move(sources), cores, clock, pause, raw_log);
}

}  // namespace gpubench
