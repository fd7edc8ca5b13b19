#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "power/log/power_log.h"
#include "power/trace/integration.h"
#include "power/trace/sampler.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"
#include "support/temp_dir.h"

namespace gpubench::test::sampler_test {

namespace {

/// A thread-safe clock that the sampler's pauses advance, up to a limit set by the test.
class SteppedTime : public Clock, public SamplerPause {
 public:
  Seconds now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  void wait(Seconds duration) override {
    std::unique_lock lock(mutex_);
    const Seconds until = now_ + duration;
    is_waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_woken_ || until <= limit_; });
    is_waiting_ = false;
    if (!is_woken_) now_ = until;
  }

  void wake() override {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
    changed_.notify_all();
  }

  /// Lets the sampler run up to `since` seconds after the start. Returns when it waits for a later time.
  void run_until(double since) {
    std::unique_lock lock(mutex_);
    limit_ = {Load::kOrigin + since};
    is_waiting_ = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_waiting_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Seconds now_{Load::kOrigin};
  Seconds limit_{Load::kOrigin};
  bool is_waiting_ = false;
  bool is_woken_ = false;
};

/// A sampler of one synthetic source with a stepped clock.
struct Rig {
  Load load = steady_load(60, 1);
  SteppedTime time;
  std::unique_ptr<PowerSampler> sampler;

  explicit Rig(const MeterModel& model, const std::filesystem::path& log = {}) {
    PowerSources sources;
    const SyntheticMeter meter(load, model, time);
    sources.push_back({meter.facts(), [meter] { return meter.read(); }});
    sampler = start_sampler(std::move(sources), 1, time, time, log);
  }
};

MeterModel find_model(double period) {
  MeterModel model;
  model.period = period;
  return model;
}

/// Returns the mean time between samples.
double mean_period(const PowerTrace& trace) {
  return (trace.samples.back().time - trace.samples.front().time).value /
         static_cast<double>(trace.samples.size() - 1);
}

}  // namespace

TEST_CASE("a source is read about twice as often as it changes") {
  for (const double period : {0.1, 0.4, 1.0}) {
    Rig rig(find_model(period));
    rig.time.run_until(20);
    const PowerTrace trace = rig.sampler->traces_since({Load::kOrigin + 12}).front();
    CHECK(mean_period(trace) > 0.35 * period);
    CHECK(mean_period(trace) < 0.70 * period);
    CHECK(power::Evaluation(trace).source_period().value().value == approx(period).epsilon(0.1));
  }
}

TEST_CASE("a slow source is read once per second, a constant source every 50 ms") {
  Rig slow(find_model(5));
  slow.time.run_until(58);
  CHECK(mean_period(slow.sampler->traces_since({Load::kOrigin + 50}).front()) == approx(1).epsilon(0.01));
  MeterModel constant = find_model(0.1);
  constant.stuck_from = 0;
  Rig rig(constant);
  rig.time.run_until(20);
  CHECK(mean_period(rig.sampler->traces_since({Load::kOrigin + 10}).front()) == approx(0.05).epsilon(0.1));
}

TEST_CASE("the number of kept samples is bounded") {
  Rig rig(find_model(0.002));
  rig.time.run_until(600);
  const PowerTrace trace = rig.sampler->traces_since({0}).front();
  CHECK(trace.samples.size() <= 100'000);
  CHECK(trace.samples.front().time.value == approx(Load::kOrigin));
  CHECK(trace.samples.back().time.value > Load::kOrigin + 590);
}

TEST_CASE("expensive sources are read less often, within 0.5 % of the cores") {
  // Takes a few milliseconds of processor time.
  const auto read = [readings = 0.0]() mutable {
    PowerReading reading;
    double sum = 0;
    for (int i = 1; i < 300'000; ++i) sum += 1 / static_cast<double>(i);
    reading.power = Watts{sum + ++readings};
    return reading;
  };
  const double cores = GENERATE(1, 4);
  SteppedTime time;
  PowerSources sources;
  sources.push_back({{}, read});
  const auto sampler = start_sampler(std::move(sources), cores, time, time, {});
  time.run_until(60);
  CHECK(sampler->load() > 0.002 * cores);
  CHECK(sampler->load() < 0.006 * cores);
}

TEST_CASE("readings are appended to the log below a single heading") {
  const TempDir folder;
  const auto path = folder.path() / "power.csv";
  for (int run = 0; run < 2; ++run) {
    Rig rig(find_model(0.1), path);
    rig.time.run_until(1);
  }
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  REQUIRE(lines.size() > 20);
  CHECK(lines[0] == kRawLogHeader);
  CHECK(std::count(lines.begin(), lines.end(), kRawLogHeader) == 1);
  CHECK_THAT(lines[1], contains_text("1000,synthetic,part 0,cuda:0,gpu-board,,"));
}

TEST_CASE("with a real clock and pause the sampler reads and stops at once") {
  const SteadyClock clock;
  const auto pause = make_pause();
  const Load load = steady_load(1, 1);
  PowerSources sources;
  const SyntheticMeter meter(load, find_model(0.01), clock);
  sources.push_back({meter.facts(), [meter] { return meter.read(); }});
  const Seconds start = clock.now();
  auto sampler = start_sampler(std::move(sources), 1, clock, *pause, {});
  while (sampler->traces_since({0}).front().samples.size() < 3 && clock.now() < start + Seconds{20}) {
    make_pause()->wait({0.005});
  }
  CHECK(sampler->traces_since({0}).front().samples.size() >= 3);
  sampler.reset();
  CHECK(clock.now() < start + Seconds{30});
}

TEST_CASE("a line of the log has numbers with a point, empty fields and no other commas") {
  PowerSourceFacts facts{"nvml", "GPU 0 \"A, B\"", "cuda:0", PowerScope::kGpuBoard, "", {0}, "", false};
  PowerSample sample{{12.5}, {}};
  sample.reading.energy = Joules{1234567.891};
  sample.reading.temperature = Celsius{45};
  sample.reading.throttle = "power cap, heat";
  CHECK(raw_log_line(facts, sample) ==
        "12.5,nvml,GPU 0  A  B,cuda:0,gpu-board,1234567.891,,45,,,power cap; heat\n");
}

}  // namespace gpubench::test::sampler_test
