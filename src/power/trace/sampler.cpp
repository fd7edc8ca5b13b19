#include "power/trace/sampler.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "gpubench/core/error.h"
#include "power/log/power_log.h"
#include "power/trace/pace.h"

namespace gpubench {
namespace {

/// Half a percent, and a little less, since what a reading cost is known only after it.
constexpr double kShareOfCore = 0.0045;
/// Samples of one source: more than an hour of one that is read every 50 ms.
constexpr std::size_t kMostSamples = 100'000;

Seconds thread_time() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return {static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

std::ofstream open_log(const std::filesystem::path& path) {
  std::ofstream log;
  if (path.empty()) return log;
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  log.open(path, std::ios::app);
  if (ignored || size == 0) log << kRawLogHeader << '\n';
  if (!log.flush()) throw Error(ErrorKind::kUsage, "--power-log " + path.string() + ": cannot be written");
  return log;
}

/// Keeps every second sample of the older half: of what nobody asked for in hours, less detail will do.
void thin_out(std::vector<PowerSample>& samples) {
  if (samples.size() < kMostSamples) return;
  const std::size_t half = samples.size() / 2;
  for (std::size_t i = 1; 2 * i < half; ++i) samples[i] = std::move(samples[2 * i]);
  const auto kept = static_cast<std::ptrdiff_t>((half + 1) / 2);
  samples.erase(samples.begin() + kept, samples.begin() + static_cast<std::ptrdiff_t>(half));
}

/// Signals are for the threads that know what to do about them.
template <class Work>
std::thread thread_without_signals(Work work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

/// A source and when it is read next. Only the sampler's thread uses it.
struct Watched {
  std::unique_ptr<PowerSource> source;
  PowerSourceFacts facts;
  power::Pace pace;
  Seconds due{0};
};

class Sampler : public PowerSampler {
 public:
  Sampler(std::vector<std::unique_ptr<PowerSource>> sources, const Clock& clock, SamplerPause& pause,
          const std::filesystem::path& raw_log)
      : clock_(clock), pause_(pause), start_(clock.now()), log_(open_log(raw_log)) {
    const double share = kShareOfCore / static_cast<double>(std::max<std::size_t>(1, sources.size()));
    for (auto& source : sources) {
      PowerSourceFacts facts = source->facts();
      traces_.push_back({facts, {}});
      watched_.push_back({std::move(source), std::move(facts), power::Pace(share), start_});
    }
    if (!watched_.empty()) thread_ = thread_without_signals([this] { run(); });
  }

  ~Sampler() override {
    is_stopping_ = true;
    pause_.wake();
    if (thread_.joinable()) thread_.join();
  }

  std::vector<PowerTrace> traces_since(Seconds begin) override {
    const std::lock_guard lock(mutex_);
    for (PowerTrace& trace : traces_) {
      std::erase_if(trace.samples, [&](const PowerSample& sample) { return sample.time < begin; });
    }
    return traces_;
  }

  double load() const override {
    const double seconds = (clock_.now() - start_).value;
    return seconds > 0 ? processor_seconds_ / seconds : 0;
  }

 private:
  void run() {
    while (!is_stopping_) {
      Seconds next = watched_.front().due;
      for (std::size_t i = 0; i < watched_.size(); ++i) {
        if (watched_[i].due <= clock_.now()) read(i);
        next = i == 0 ? watched_[i].due : std::min(next, watched_[i].due);
      }
      if (log_.is_open()) log_.flush();
      pause_.wait({std::max(0.0, (next - clock_.now()).value)});
    }
  }

  void read(std::size_t i) {
    Watched& watched = watched_[i];
    const Seconds before = clock_.now();
    PowerSample sample{before, watched.source->read()};
    sample.time = {(before.value + clock_.now().value) / 2};
    if (log_.is_open()) log_ << raw_log_line(watched.facts, sample);
    // All that the thread did since the last reading counts: waking up costs, too.
    const Seconds spent = thread_time();
    watched.pace.note(sample.time, sample.reading, spent - Seconds{processor_seconds_});
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
  std::vector<PowerTrace> traces_;  ///< Under mutex_.
  std::thread thread_;              ///< Last, so that all it uses is there before it.
};

}  // namespace

std::unique_ptr<PowerSampler> start_sampler(std::vector<std::unique_ptr<PowerSource>> sources,
                                            const Clock& clock, SamplerPause& pause,
                                            const std::filesystem::path& raw_log) {
  return std::make_unique<Sampler>(std::move(sources), clock, pause, raw_log);
}

}  // namespace gpubench
