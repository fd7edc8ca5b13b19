// Every check of selftest passes on a correct device, and detects the faults that fakes have.

#include <algorithm>
#include <cmath>

#include <ATen/Context.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros_like.h>

#include "gpubench/model.h"
#include "support/catch.h"
#include "workloads/selftest/check.h"

namespace gpubench::test::selftest_test {

namespace {

/// Simulated time. Operations of the fakes advance it.
struct World {
  double time = 1;
  double busy_until = 0;
};

class WorldClock : public Clock {
 public:
  explicit WorldClock(World& world) : world_(world) {}
  Seconds now() const override {
    world_.time += 1e-7;
    const double time = world_.time * rate;
    return {grain > 0 ? std::floor(time / grain) * grain : time * direction()};
  }
  double rate = 1;
  double grain = 0;
  bool goes_back = false;

 private:
  double direction() const { return goes_back && ++readings_ % 100 == 0 ? 0.99 : 1; }
  World& world_;
  mutable int readings_ = 0;
};

/// Events of an asynchronous device.
class WorldMarks : public DeviceMarks {
 public:
  WorldMarks(World& world, double factor, std::size_t count)
      : world_(world), factor_(factor), times_(count) {}
  void mark(std::size_t number) override { times_[number] = std::max(world_.time, world_.busy_until); }
  Measured<Seconds> between(std::size_t from, std::size_t to) const override {
    return Seconds{(times_[to] - times_[from]) * factor_};
  }

 private:
  World& world_;
  double factor_;
  std::vector<double> times_;
};

class Repeated : public RecordedWork {
 public:
  Repeated(std::function<void()> work, bool repeats_numbers)
      : work_(std::move(work)), repeats_numbers_(repeats_numbers) {}
  void replay() override {
    if (repeats_numbers_) at::manual_seed(1);
    work_();
  }

 private:
  std::function<void()> work_;
  bool repeats_numbers_;
};

/// Device with faults to switch on.
class FaultyDevice : public Device {
 public:
  explicit FaultyDevice(World& world) : world_(world) {}
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override {
    if (waits) world_.time = std::max(world_.time, world_.busy_until);
  }
  bool has_own_clock() const override { return true; }
  std::unique_ptr<DeviceMarks> make_marks(const Clock&, std::size_t count) override {
    return std::make_unique<WorldMarks>(world_, event_factor, count);
  }
  Measured<Bytes> peak_memory() const override { return Bytes{peak / memory_unit}; }
  Measured<Bytes> held_memory() const override { return Bytes{held / memory_unit}; }
  void reset_peak_memory() override { peak = held; }
  std::string why_no_graph() const override { return {}; }
  std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& warm_up,
                                             const std::function<void()>& work) override {
    warm_up();
    try {
      work();
    } catch (...) {
      has_failed_recording = true;
      throw;
    }
    return std::make_unique<Repeated>(work, repeats_numbers);
  }

  bool waits = true;
  double event_factor = 1;
  std::int64_t memory_unit = 1;
  bool repeats_numbers = false;
  bool has_failed_recording = false;
  std::int64_t held = 1 << 20;
  std::int64_t peak = 1 << 20;

 private:
  World& world_;
};

/// A model of the catalog that rounds fp32 inputs to three bits.
class RoundingModel : public Model {
 public:
  explicit RoundingModel(const std::string& name)
      : inner_(register_module("inner", models().require(name, "").build({}))) {}

  std::vector<ParameterGroup> parameter_groups() override { return inner_->parameter_groups(); }
  std::vector<std::string> metrics() const override { return inner_->metrics(); }
  Results train_step(const Batch& batch, Step& step) override {
    const bool rounds = batch.inputs.scalar_type() == at::kFloat;
    return inner_->train_step({rounds ? batch.inputs.mul(8).round_().div_(8) : batch.inputs, batch.targets},
                              step);
  }
  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch& batch) override { return inner_->evaluate(batch); }
  at::Tensor score(const Results& results, std::int64_t samples) const override {
    return inner_->score(results, samples);
  }

 private:
  std::shared_ptr<Model> inner_;
};

/// Source that reads `idle` and `load` watts, and counts `counted` joules over six seconds of load.
PowerDiagnosis power_source(const std::string& device, double idle, double load, double counted) {
  PowerDiagnosis source;
  source.facts = {.meter = "fake", .part = "source", .device = device};
  source.idle_before = Watts{idle};
  source.load = Watts{load};
  source.by_power = Joules{load * 6};
  source.by_counter = Joules{counted};
  return source;
}

/// Faked results of a training.
struct Training {
  double loss_factor = 1;
  double step_seconds = 1e-3;
};

using Product = at::Tensor (*)(const at::Tensor& a, const at::Tensor& b);

struct Machine {
  World world;
  WorldClock tested_clock{world};
  WorldClock other_clock{world};
  FaultyDevice tested_device{world};
};

/// Device, clocks, trainings and meters without faults, until a test plants one.
class Bench : private Machine, public Subject {
 public:
  Bench()
      : Subject(tested_device, tested_clock,
                {other_clock,
                 [](const DataSpec& spec, const SplitSizes& sizes) { return make_synthetic(spec, sizes, 1); },
                 [this](const std::function<void()>& load) {
                   load();
                   return PowerTrial{sources, ""};
                 }}) {
    const auto& all = gpubench::models();
    models = Catalog<ModelEntry>("model", {all.require("mlp", ""), all.require("cnn", ""),
                                           all.require("lstm", ""), all.require("cnn1", "")});
    at::manual_seed(1);
  }

  CaseRecord run_case(const Case& c, const Dataset& /*dataset*/) override {
    const Training faked = training(c);
    constexpr std::int64_t kSteps = 16;
    CaseRecord record;
    record.model = c.model->name;
    record.mode = c.asked.mode;
    record.device = c.asked.device;
    record.batch_size = c.asked.batch_size;
    record.status = RowStatus::kOk;
    const auto epochs = static_cast<std::size_t>(c.asked.epochs);
    record.steps_per_epoch = kSteps;
    record.train_samples = kSteps * c.asked.batch_size;
    record.epoch_seconds.assign(epochs, faked.step_seconds * kSteps);
    const double loss = faked.loss_factor * (1 + 0.01 * static_cast<double>(c.asked.seed));
    record.training = {{"loss", std::vector<double>(epochs, loss)}};
    record.train_flop_per_sample = 1e6;
    record.traffic_per_step = Bytes{1'000'000};
    record.operations_per_step = 30;
    record.parameters = 1000;
    record.forward_macs = 100'000;
    return record;
  }

  at::Tensor product(const at::Tensor& a, const at::Tensor& b, bool /*allows_tf32*/) override {
    return multiply(a, b);
  }

  /// Returns work of 0.01 s per unit.
  KnownWork make_work() override {
    return {[this](std::int64_t units) {
              const double known = is_done_once ? 1.0 : static_cast<double>(units);
              world.time += 1e-5 * static_cast<double>(units);
              world.busy_until = std::max(world.time, world.busy_until) + 0.01 * known;
            },
            [this] { world.time = std::max(world.time, world.busy_until) + 1e-6; }};
  }

  std::shared_ptr<void> allocate(Bytes size) override {
    if (size.value > (std::int64_t{1} << 40)) {
      if (refusal.empty()) return {};
      throw std::runtime_error(refusal);
    }
    tested_device.held += size.value;
    tested_device.peak = std::max(tested_device.peak, tested_device.held);
    const auto memory = Subject::allocate(size);
    return {this, [memory, size](Bench* bench) {
              if (!bench->leaks) bench->tested_device.held -= size.value;
            }};
  }

  DeviceRecord measure_trial_peak() override {
    DeviceRecord peak{"cpu", "fake", {}, {}, {}};
    peak.peak_flops_per_second = NamedValues{{"fp32", 1e12}, {"bf16", 2e12}};
    peak.triad_bytes_per_second = peak.copy_bytes_per_second = 1e10;
    peak.launch_latency = peak.graph_node_latency = Seconds{5e-6};
    return peak;
  }

  using Machine::tested_clock;
  using Machine::tested_device;
  bool leaks = false;
  bool is_done_once = false;
  std::string refusal = "can't allocate memory: out of memory";
  at::Tensor (*multiply)(const at::Tensor& a, const at::Tensor& b) =
      [](const at::Tensor& a, const at::Tensor& b) { return at::mm(a, b); };
  std::function<Training(const Case&)> training = [](const Case& c) {
    return Training{.loss_factor = c.asked.mode.precision == Precision::kFp32 ? 1 : 1.001};
  };
  std::vector<PowerDiagnosis> sources{power_source("cpu", 20, 80, 482), power_source("", 60, 130, 780)};
};

CheckRows make_rows(const std::string& check, Subject& subject) {
  return run_check(checks().require(check, ""), subject);
}

std::string to_text(const CheckRow& row) {
  return row.check + " " + row.subject + ": " + to_string(row.status) + ": " + row.message;
}

/// Returns trainings whose losses are wrong for the cases that `is_off` selects.
template <class Is>
auto losses_off(Is is_off) {
  return [is_off](const Case& c) {
    const bool is_other = c.asked.mode.precision != Precision::kFp32;
    return Training{.loss_factor = is_off(c) ? 1.3 : is_other ? 1.001 : 1};
  };
}

/// A fault, and the row that detects it.
struct Fault {
  const char* name;
  const char* check;
  const char* subject;
  void (*plant)(Bench& bench);
};

const Fault kFaults[] = {
    {"a clock that runs 10 % fast", "clock", "rate", [](Bench& b) { b.tested_clock.rate = 1.1; }},
    {"a clock with a resolution of 1/100 s", "clock", "resolution",
     [](Bench& b) { b.tested_clock.grain = 0.01; }},
    {"a clock that goes back", "clock", "resolution", [](Bench& b) { b.tested_clock.goes_back = true; }},
    {"a device that does not wait", "synchronization", "results",
     [](Bench& b) { b.tested_device.waits = false; }},
    {"events in a wrong unit", "synchronization", "events",
     [](Bench& b) { b.tested_device.event_factor = 1000; }},
    {"repeated work that is skipped", "synchronization", "double work",
     [](Bench& b) { b.is_done_once = true; }},
    {"inputs rounded to three bits", "losses", "mlp",
     [](Bench& b) {
       ModelEntry entry = b.models.require("mlp", "");
       entry.build = [](const ModelSizes&) -> std::shared_ptr<Model> {
         return std::make_shared<RoundingModel>("mlp");
       };
       b.models = Catalog<ModelEntry>("model", {entry});
     }},
    {"fp32 with the rounding of TF32", "precisions", "product fp32",
     [](Bench& b) {
       b.multiply = [](const at::Tensor& x, const at::Tensor& y) {
         return x.scalar_type() == at::kFloat ? at::mm(x.to(at::kHalf).to(at::kFloat), y) : at::mm(x, y);
       };
     }},
    {"bf16 with results in fp32", "precisions", "product bf16",
     [](Bench& b) {
       b.multiply = [](const at::Tensor& x, const at::Tensor& y) {
         return x.scalar_type() == at::kBFloat16 ? at::mm(x.to(at::kFloat), y.to(at::kFloat)) : at::mm(x, y);
       };
     }},
    {"a precision without effect", "precisions", "cnn bf16",
     [](Bench& b) { b.training = [](const Case&) { return Training{}; }; }},
    {"a precision with wrong losses", "precisions", "lstm amp-fp16",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.asked.mode.precision == Precision::kAmpFp16; });
     }},
    {"a NaN loss in fp16", "precisions", "cnn fp16",
     [](Bench& b) {
       b.training = [](const Case& c) {
         return Training{.loss_factor = c.asked.mode.precision == Precision::kFp16 ? NAN : 1};
       };
     }},
    {"a layout that mixes up channels", "modes", "cnn1 channels-last",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.asked.mode.layout == Layout::kChannelsLast; });
     }},
    {"a loader that repeats samples", "modes", "lstm host loader",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.asked.mode.loader == Loader::kHost; });
     }},
    {"graphs with wrong losses", "graphs", "cnn",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.asked.mode.execution == Execution::kGraph; });
     }},
    {"graphs that replay the same dropout", "graphs", "dropout",
     [](Bench& b) { b.tested_device.repeats_numbers = true; }},
    {"graphs that replay the same noise", "graphs", "noise",
     [](Bench& b) { b.tested_device.repeats_numbers = true; }},
    {"a failed recording that affects the next case", "graphs", "cnn after a failed recording",
     [](Bench& b) {
       b.training = [&b](const Case& c) {
         const bool is_affected =
             b.tested_device.has_failed_recording && c.asked.mode.execution == Execution::kGraph;
         return Training{.loss_factor = is_affected ? 1.3 : 1};
       };
     }},
    {"nondeterministic trainings", "seeds", "equal seeds",
     [](Bench& b) {
       b.training = [runs = 0](const Case&) mutable { return Training{.loss_factor = 1 + 1e-5 * ++runs}; };
     }},
    {"an ignored seed", "seeds", "different seeds",
     [](Bench& b) {
       b.training = [](const Case& c) {
         return Training{.loss_factor = 1 / (1 + 0.01 * static_cast<double>(c.asked.seed))};
       };
     }},
    {"a peak in a wrong unit", "memory", "device peak", [](Bench& b) { b.tested_device.memory_unit = 1024; }},
    {"freed memory that stays allocated", "memory", "device allocated", [](Bench& b) { b.leaks = true; }},
    {"unlimited memory", "out-of-memory", "oversized allocation", [](Bench& b) { b.refusal.clear(); }},
    {"out of memory reported as another error", "out-of-memory", "oversized allocation",
     [](Bench& b) { b.refusal = "bad luck"; }},
    {"a device that is broken after out of memory", "out-of-memory", "training afterwards",
     [](Bench& b) { b.multiply = [](const at::Tensor& x, const at::Tensor&) { return at::zeros_like(x); }; }},
    {"steps faster than possible", "throughput", "cnn eager fp32",
     [](Bench& b) { b.training = [](const Case&) { return Training{.step_seconds = 1e-6}; }; }},
    {"steps that are a hundred times too slow", "throughput", "mlp graph bf16",
     [](Bench& b) { b.training = [](const Case&) { return Training{.step_seconds = 0.1}; }; }},
    {"a meter in milliwatts", "energy", "fake",
     [](Bench& b) { b.sources = {power_source("cpu", 20e3, 80e3, 482e3)}; }},
    {"a meter that reads 0 W", "energy", "fake",
     [](Bench& b) { b.sources = {power_source("cpu", 0, 0, 0)}; }},
    {"a meter that is stuck", "energy", "fake",
     [](Bench& b) { b.sources = {power_source("cpu", 50, 50, 300)}; }},
    {"a meter that ignores the load", "energy", "fake",
     [](Bench& b) { b.sources = {power_source("cpu", 50, 51, 306)}; }},
    {"a counter in a wrong unit", "energy", "fake, counter vs power",
     [](Bench& b) { b.sources = {power_source("cpu", 20, 80, 0.482)}; }},
    {"a meter attributed to the wrong GPU", "energy", "fake",
     [](Bench& b) { b.sources = {power_source("cuda:1", 60, 300, 1800)}; }},
};

}  // namespace

TEST_CASE("a correct device fails no check") {
  for (const CheckEntry& check : checks()) {
    Bench bench;
    const CheckRows rows = make_rows(check.name, bench);
    CHECK_FALSE(rows.empty());
    for (const CheckRow& row : rows) {
      INFO(to_text(row));
      CHECK(row.status != CheckStatus::kFail);
      CHECK_FALSE(row.message.empty());
      CHECK(row.device == "cpu");
      CHECK(row.claim == check.claim);
    }
  }
}

TEST_CASE("the expected row detects each planted fault") {
  for (const Fault& fault : kFaults) {
    Bench bench;
    fault.plant(bench);
    const CheckRows rows = make_rows(fault.check, bench);
    const auto row = std::ranges::find(rows, std::string(fault.subject), &CheckRow::subject);
    INFO(fault.name);
    for (const CheckRow& each : rows) UNSCOPED_INFO(to_text(each));
    REQUIRE(row != rows.end());
    CHECK(row->status == CheckStatus::kFail);
  }
}

TEST_CASE("every check of selftest has a planted fault") {
  for (const CheckEntry& check : checks()) {
    INFO(check.name);
    CHECK(std::ranges::any_of(kFaults, [&](const Fault& fault) { return fault.check == check.name; }));
  }
}

TEST_CASE("a check that throws is a failed row") {
  class Broken : public Bench {
    KnownWork make_work() override { throw std::runtime_error("device-side assert triggered"); }
  } bench;
  const CheckRows rows = make_rows("synchronization", bench);
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().status == CheckStatus::kFail);
  CHECK_THAT(rows.front().message, contains_text("device-side assert"));
}

TEST_CASE("the CPU fails no check without timing, and unchecked rows give the reason") {
  const auto cpu = open_device("cpu");
  const SteadyClock clock;
  const SelftestMeans means{
      clock, [](const DataSpec& spec, const SplitSizes& sizes) { return make_synthetic(spec, sizes, 1); },
      [](const std::function<void()>&) {
        return PowerTrial{{}, "no meter"};
      }};
  Subject subject(*cpu, clock, means);
  for (const char* check : {"losses", "precisions", "modes", "seeds", "out-of-memory"}) {
    for (const CheckRow& row : make_rows(check, subject)) {
      INFO(to_text(row));
      CHECK(row.status != CheckStatus::kFail);
    }
  }
  for (const auto& [check, why] : {std::pair{"graphs", "graphs need an NVIDIA GPU"},
                                   {"memory", "not counted"},
                                   {"energy", "no meter"}}) {
    const CheckRow row = make_rows(check, subject).front();
    CHECK(row.status == CheckStatus::kUnchecked);
    CHECK_THAT(row.message, contains_text(why));
  }
}

}  // namespace gpubench::test::selftest_test
