// Every check of selftest passes on a sound device, and finds the faults that are planted in fakes.

#include <algorithm>
#include <cmath>

#include <ATen/Context.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include "engine/selftest/check.h"
#include "engine/torch/failure.h"
#include "engine/training/optimizer/optimizer.h"
#include "gpubench/model.h"
#include "support/catch.h"
#include "torch_blocks.h"

using namespace gpubench;
using gpubench::test::contains_text;

namespace {

/// Time that passes when something is done.
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

/// Events of a device that does its work after it was queued.
class WorldTimer : public DeviceTimer {
 public:
  WorldTimer(World& world, double factor) : world_(world), factor_(factor) {}
  void start() override { start_ = std::max(world_.time, world_.busy_until); }
  void stop() override { stop_ = std::max(world_.time, world_.busy_until); }
  Seconds elapsed() override { return {(stop_ - start_) * factor_}; }

 private:
  World& world_;
  double factor_;
  double start_ = 0;
  double stop_ = 0;
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

/// A device on which everything can be wrong.
class FaultyDevice : public Device {
 public:
  explicit FaultyDevice(World& world) : world_(world) {}
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override {
    if (waits) world_.time = std::max(world_.time, world_.busy_until);
  }
  std::unique_ptr<DeviceTimer> make_timer() override {
    return std::make_unique<WorldTimer>(world_, event_factor);
  }
  Reading<Bytes> peak_memory() const override { return Bytes{peak / memory_unit}; }
  Reading<Bytes> held_memory() const override { return Bytes{held / memory_unit}; }
  void reset_peak_memory() override { peak = held; }
  bool limit_memory(Bytes) override { return is_limited = true; }
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
  bool is_limited = false;
  double event_factor = 1;
  std::int64_t memory_unit = 1;
  bool repeats_numbers = false;
  bool has_failed_recording = false;
  std::int64_t held = 0;
  std::int64_t peak = 0;

 private:
  World& world_;
};

/// A network of the catalog with a fault.
class FaultyModel : public Model {
 public:
  explicit FaultyModel(const std::string& name)
      : inner_(register_module("inner", models().require(name, "").build({}))) {}

  std::vector<ParameterGroup> parameter_groups() override {
    auto groups = inner_->parameter_groups();
    if (skips_parameter) groups.front().parameters.pop_back();
    groups.front().recipe =
        with_learning_rate(groups.front().recipe, rate_factor * learning_rate_of(groups.front().recipe));
    return groups;
  }
  std::vector<std::string> metrics() const override { return inner_->metrics(); }
  bool is_adversarial() const override { return inner_->is_adversarial(); }
  Results train_step(const Batch& batch, Step& step) override {
    if (repeats_noise) at::manual_seed(1);
    const Batch seen{rounds ? batch.inputs.to(at::kBFloat16).to(at::kFloat) : batch.inputs, batch.targets};
    return inner_->train_step(seen, step);
  }
  Results evaluate(const Batch& batch) override { return inner_->evaluate(batch); }
  at::Tensor score(const Results& results, std::int64_t samples) const override {
    return inner_->score(results, samples);
  }

  bool skips_parameter = false;
  bool rounds = false;
  bool repeats_noise = false;
  double rate_factor = 1;

 private:
  std::shared_ptr<Model> inner_;
};

using Build = std::shared_ptr<Model> (*)(const ModelSizes&);

template <class Plant>
std::shared_ptr<Model> faulty(const std::string& name, Plant plant) {
  auto model = std::make_shared<FaultyModel>(name);
  plant(*model);
  return model;
}

Catalog<ModelEntry> one_model(const std::string& name, Build build) {
  ModelEntry entry = models().require(name, "");
  entry.build = build;
  return {"model", {entry}};
}

PowerDiagnosis power_source(const std::string& device, double idle, double load, double counted) {
  PowerDiagnosis source;
  source.facts = {.meter = "fake", .part = "source", .device = device};
  source.idle_before = Watts{idle};
  source.load = Watts{load};
  source.by_power = Joules{load * 6};
  source.by_counter = Joules{counted};
  return source;
}

/// What a case is said to learn, and how long it is said to take.
struct Training {
  double loss_factor = 1;
  double step_seconds = 1e-3;
  double block_share = 0.1;
  bool ends_without_graph = false;
};

/// A device, clocks and trainings that are sound until a fault is planted.
struct Bench {
  World world;
  WorldClock clock{world};
  WorldClock other{world};
  FaultyDevice device{world};
  std::int64_t resident = 1 << 30;
  std::int64_t resident_unit = 1;
  bool leaks = false;
  std::function<Training(const Case&)> training = [](const Case& c) {
    const bool is_other = c.mode.precision != Precision::kFp32;
    return Training{.loss_factor = is_other ? 1.001 : 1};
  };
  std::vector<PowerDiagnosis> sources{power_source("cpu", 20, 80, 482), power_source("", 60, 130, 780)};
  Subject subject;

  Bench();

  std::shared_ptr<void> allocate(Bytes size) {
    if (size.value > (std::int64_t{1} << 40))
      throw std::runtime_error("can't allocate memory: out of memory");
    device.held += size.value;
    device.peak = std::max(device.peak, device.held);
    resident += size.value;
    return {this, [size](Bench* bench) {
              bench->device.held -= bench->leaks ? 0 : size.value;
              bench->resident -= size.value;
            }};
  }

  CaseRecord run(const Case& c, Device& on);

  /// Of a device whose memory is limited.
  std::int64_t most_in_trial = 5000;
  std::int64_t most_in_training = 5000;
  std::string refusal = "out of memory";

  Pilot run_pilot(const Case& c) const {
    Pilot pilot;
    if (c.batch_size <= most_in_trial) return pilot;
    const Failure failure = classify(std::runtime_error(refusal));
    pilot.status = failure.status;
    pilot.status_reason = failure.message;
    return pilot;
  }
};

CaseRecord Bench::run(const Case& c, Device& on) {
  const Training faked = training(c);
  constexpr std::int64_t kSteps = 16;
  CaseRecord record;
  record.model = c.model->name;
  record.mode = c.mode;
  record.device = c.device;
  record.batch_size = c.batch_size;
  record.status =
      device.is_limited && c.batch_size > most_in_training ? RowStatus::kOutOfMemory : RowStatus::kOk;
  record.execution_used = to_string(c.mode.execution);
  if (c.mode.execution != Execution::kEager) {
    try {
      on.record_graph([] {}, [] {});
    } catch (const std::exception& error) {
      record.execution_used = to_string(Execution::kEager);
      record.execution_note = error.what();
      if (faked.ends_without_graph) record.status = RowStatus::kError;
    }
  }
  const auto epochs = static_cast<std::size_t>(c.stopping.max_epochs);
  record.steps_per_epoch = kSteps;
  record.train_samples = kSteps * c.batch_size;
  record.epoch_seconds.assign(epochs, faked.step_seconds * kSteps);
  record.blocks_per_epoch = 10;
  record.block_seconds.assign(10 * epochs, faked.block_share * faked.step_seconds * kSteps);
  std::vector<double> losses;
  for (std::size_t i = 0; i < epochs; ++i)
    losses.push_back(faked.loss_factor * (2.3 - 0.1 * static_cast<double>(i)));
  for (double& loss : losses) loss *= 1 + 0.01 * static_cast<double>(c.seed);
  record.training = {{"loss", losses}};
  record.train_flop_per_sample = 1e6;
  record.traffic_per_step = Bytes{1'000'000};
  record.operations_per_step = 30;
  record.parameters = 1000;
  record.forward_macs = 100'000;
  return record;
}

DeviceRecord some_roof() {
  DeviceRecord roof{"cpu", "fake", {}, {}, {}};
  roof.peak_flops_per_second = NamedValues{{"fp32", 1e12}, {"bf16", 2e12}};
  roof.triad_bytes_per_second = roof.copy_bytes_per_second = 1e10;
  roof.launch_latency = roof.graph_node_latency = Seconds{5e-6};
  return roof;
}

KnownWork work_in(World& world, bool is_skipped_at_once = false) {
  return {[&world, is_skipped_at_once](std::int64_t units) {
            const double known = is_skipped_at_once ? 1.0 : static_cast<double>(units);
            world.time += 1e-5 * static_cast<double>(units);
            world.busy_until = std::max(world.time, world.busy_until) + 0.01 * known;
          },
          [&world] { world.time = std::max(world.time, world.busy_until) + 1e-6; }};
}

Bench::Bench()
    : subject{
          .device = device,
          .clock = clock,
          .means = {other, [](const DataSpec&, const SplitSizes&) { return Dataset{}; },
                    [this](const std::function<void()>& load) {
                      load();
                      return PowerTrial{sources, ""};
                    }},
          .models = Catalog<ModelEntry>(
              "model", {models().require("mlp", ""), models().require("vae", ""), models().require("cnn", ""),
                        models().require("lstm", ""), models().require("cnn1", "")}),
          .wait = [this](Seconds time) { world.time += time.value; },
          .run_case = [this](const Case& c, const Dataset&, Device& on) { return run(c, on); },
          .run_pilot = [this](const Case& c, const Dataset&, Device&) { return run_pilot(c); },
          .product = [](const at::Tensor& a, const at::Tensor& b, bool) { return at::mm(a, b); },
          .dropout = [](const at::Tensor& values,
                        double probability) { return gpubench::dropout(values, probability, true); },
          .noise = [](std::int64_t count) { return at::randn({count}); },
          .make_work = [this] { return work_in(world); },
          .allocate = [this](Bytes size) { return allocate(size); },
          .resident = [this] { return Bytes{resident / resident_unit}; },
          .measure_roof = some_roof} {
  device.held = device.peak = 1 << 20;
  at::manual_seed(1);
}

CheckRows rows_of(const std::string& check, Bench& bench) {
  return run_check(checks().require(check, ""), bench.subject);
}

std::string text_of(const CheckRow& row) {
  return row.check + " " + row.subject + ": " + to_string(row.status) + ": " + row.message;
}

/// Losses in a mode that one field of it decides.
template <class Is>
auto losses_off(Is is_off) {
  return [is_off](const Case& c) {
    const bool is_other = c.mode.precision != Precision::kFp32;
    return Training{.loss_factor = is_off(c) ? 1.3 : is_other ? 1.001 : 1};
  };
}

/// A fault, and the row that finds it.
struct Fault {
  const char* name;
  const char* check;
  const char* subject;
  void (*plant)(Bench& bench);
};

const Fault kFaults[] = {
    {"a clock that runs 10 % fast", "clock", "rate", [](Bench& b) { b.clock.rate = 1.1; }},
    {"a clock that ticks in 1/100 s", "clock", "resolution", [](Bench& b) { b.clock.grain = 0.01; }},
    {"a clock that goes back", "clock", "resolution", [](Bench& b) { b.clock.goes_back = true; }},
    {"a device that does not wait", "waiting", "results", [](Bench& b) { b.device.waits = false; }},
    {"events in another unit", "waiting", "events", [](Bench& b) { b.device.event_factor = 1000; }},
    {"work that is done once for all", "window", "",
     [](Bench& b) { b.subject.make_work = [&b] { return work_in(b.world, true); }; }},
    {"fp32 that is rounded as TF32", "products", "fp32",
     [](Bench& b) {
       b.subject.product = [](const at::Tensor& x, const at::Tensor& y, bool) {
         return x.scalar_type() == at::kFloat ? at::mm(x.to(at::kHalf).to(at::kFloat), y) : at::mm(x, y);
       };
     }},
    {"bf16 whose results are fp32", "products", "bf16",
     [](Bench& b) {
       b.subject.product = [](const at::Tensor& x, const at::Tensor& y, bool) {
         return x.scalar_type() == at::kBFloat16 ? at::mm(x.to(at::kFloat), y.to(at::kFloat)) : at::mm(x, y);
       };
     }},
    {"a learning rate that is 5 % off", "losses", "mlp",
     [](Bench& b) {
       b.subject.models = one_model("mlp", [](const ModelSizes&) {
         return faulty("mlp", [](FaultyModel& m) { m.rate_factor = 1.05; });
       });
     }},
    {"inputs that are rounded to bf16", "losses", "mlp",
     [](Bench& b) {
       b.subject.models = one_model(
           "mlp", [](const ModelSizes&) { return faulty("mlp", [](FaultyModel& m) { m.rounds = true; }); });
     }},
    {"another network under the same name", "losses", "",
     [](Bench& b) {
       b.subject.models =
           one_model("mlp", [](const ModelSizes&) { return models().require("cnn", "").build({}); });
     }},
    {"a precision that is not in force", "precisions", "cnn bf16",
     [](Bench& b) { b.training = [](const Case&) { return Training{}; }; }},
    {"a precision that trains wrongly", "precisions", "lstm amp-fp16",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.mode.precision == Precision::kAmpFp16; });
     }},
    {"a loss that is no number in fp16", "precisions", "cnn fp16",
     [](Bench& b) {
       b.training = [](const Case& c) {
         return Training{.loss_factor = c.mode.precision == Precision::kFp16 ? NAN : 1};
       };
     }},
    {"graphs that learn something else", "execution", "cnn",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.mode.execution == Execution::kGraph; });
     }},
    {"a layout that mixes channels up", "layouts", "cnn1",
     [](Bench& b) {
       b.training = losses_off([](const Case& c) { return c.mode.layout == Layout::kChannelsLast; });
     }},
    {"a loader that repeats samples", "loaders", "lstm",
     [](Bench& b) { b.training = losses_off([](const Case& c) { return c.mode.loader == Loader::kHost; }); }},
    {"trainings that chance decides", "seeds", "the same",
     [](Bench& b) {
       b.training = [runs = 0](const Case&) mutable { return Training{.loss_factor = 1 + 1e-5 * ++runs}; };
     }},
    {"a seed that is not used", "seeds", "another",
     [](Bench& b) {
       b.training = [](const Case& c) {
         return Training{.loss_factor = 1 / (1 + 0.01 * static_cast<double>(c.seed))};
       };
     }},
    {"an optimiser that skips a parameter", "updates", "mlp",
     [](Bench& b) {
       b.subject.models = one_model("mlp", [](const ModelSizes&) {
         return faulty("mlp", [](FaultyModel& m) { m.skips_parameter = true; });
       });
     }},
    {"dropout of another rate", "dropout", "rate 0.1",
     [](Bench& b) {
       b.subject.dropout = [](const at::Tensor& x, double p) { return gpubench::dropout(x, p + 0.01, true); };
     }},
    {"dropout that does not scale", "dropout", "scale 0.5",
     [](Bench& b) {
       b.subject.dropout = [](const at::Tensor& x, double p) {
         return gpubench::dropout(x, p, true) * (1 - p);
       };
     }},
    {"dropout that drops the same in each step", "dropout", "from step to step 0.5",
     [](Bench& b) {
       b.subject.dropout = [](const at::Tensor& x, double p) {
         at::manual_seed(1);
         return gpubench::dropout(x, p, true);
       };
     }},
    {"graphs that replay the same dropout", "replay", "dropout",
     [](Bench& b) { b.device.repeats_numbers = true; }},
    {"graphs that replay the same noise", "replay", "noise",
     [](Bench& b) { b.device.repeats_numbers = true; }},
    {"noise that is uniform", "noise", "variance",
     [](Bench& b) { b.subject.noise = [](std::int64_t count) { return at::rand({count}) - 0.5; }; }},
    {"an epsilon that is the same in each step", "noise", "vae",
     [](Bench& b) {
       b.subject.models = one_model("vae", [](const ModelSizes&) {
         return faulty("vae", [](FaultyModel& m) { m.repeats_noise = true; });
       });
     }},
    {"blocks that are half as long as their epoch", "blocks", "graph",
     [](Bench& b) { b.training = [](const Case&) { return Training{.block_share = 0.05}; }; }},
    {"a peak in another unit", "memory", "device peak", [](Bench& b) { b.device.memory_unit = 1024; }},
    {"memory that stays held", "memory", "device held", [](Bench& b) { b.leaks = true; }},
    {"host memory in another unit", "memory", "host", [](Bench& b) { b.resident_unit = 1024; }},
    {"memory without end", "out-of-memory", "refusal",
     [](Bench& b) { b.subject.allocate = [](Bytes) { return std::shared_ptr<void>(); }; }},
    {"a refusal that is told as something else", "out-of-memory", "refusal",
     [](Bench& b) {
       b.subject.allocate = [](Bytes) -> std::shared_ptr<void> { throw std::runtime_error("bad luck"); };
     }},
    {"a device that is broken after a refusal", "out-of-memory", "afterwards",
     [](Bench& b) {
       b.subject.product = [](const at::Tensor& x, const at::Tensor&, bool) { return at::zeros_like(x); };
     }},
    {"a largest batch that does not train", "largest-batch", "training",
     [](Bench& b) { b.most_in_training = 3000; }},
    {"a search that is ended by something else", "largest-batch", "search",
     [](Bench& b) { b.refusal = "illegal memory access"; }},
    {"a search that nothing ends", "largest-batch", "search",
     [](Bench& b) { b.most_in_trial = std::int64_t{1} << 20; }},
    {"a case that ends where recording fails", "recovery", "fall-back",
     [](Bench& b) { b.training = [](const Case&) { return Training{.ends_without_graph = true}; }; }},
    {"a failed recording that harms the next case", "recovery", "next case",
     [](Bench& b) {
       b.training = [&b](const Case& c) {
         const bool is_harmed = b.device.has_failed_recording && c.mode.execution == Execution::kGraph;
         return Training{.loss_factor = is_harmed ? 1.3 : 1};
       };
     }},
    {"a failed recording after which no random number is drawn", "recovery", "",
     [](Bench& b) {
       b.subject.noise = [&b](std::int64_t count) {
         if (b.device.has_failed_recording)
           throw std::runtime_error("offset increment outside graph capture");
         return at::randn({count});
       };
     }},
    {"steps faster than the device can be", "throughput", "cnn eager fp32",
     [](Bench& b) { b.training = [](const Case&) { return Training{.step_seconds = 1e-6}; }; }},
    {"steps that take a hundred times as long", "throughput", "mlp graph bf16",
     [](Bench& b) { b.training = [](const Case&) { return Training{.step_seconds = 0.1}; }; }},
    {"a meter in milliwatts", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 20e3, 80e3, 482e3)}; }},
    {"a meter that shows nothing", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 0, 0, 0)}; }},
    {"a meter that is stuck", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 50, 50, 300)}; }},
    {"a meter of something else", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cpu", 50, 51, 306)}; }},
    {"a counter in another unit", "energy", "fake source, two ways",
     [](Bench& b) { b.sources = {power_source("cpu", 20, 80, 0.482)}; }},
    {"a meter of the wrong GPU", "energy", "fake source",
     [](Bench& b) { b.sources = {power_source("cuda:1", 60, 300, 1800)}; }},
};

}  // namespace

TEST_CASE("a sound device fails no check") {
  for (const CheckEntry& check : checks()) {
    Bench bench;
    const CheckRows rows = rows_of(check.name, bench);
    CHECK_FALSE(rows.empty());
    for (const CheckRow& row : rows) {
      INFO(text_of(row));
      CHECK(row.status != CheckStatus::kFail);
      CHECK_FALSE(row.message.empty());
      CHECK(row.device == "cpu");
      CHECK(row.claim == check.claim);
    }
  }
}

TEST_CASE("each planted fault is found by the row that should find it") {
  for (const Fault& fault : kFaults) {
    Bench bench;
    fault.plant(bench);
    const CheckRows rows = rows_of(fault.check, bench);
    const auto row = std::ranges::find(rows, std::string(fault.subject), &CheckRow::subject);
    INFO(fault.name);
    for (const CheckRow& each : rows) UNSCOPED_INFO(text_of(each));
    REQUIRE(row != rows.end());
    CHECK(row->status == CheckStatus::kFail);
  }
}

TEST_CASE("every check of selftest has a fault that it finds") {
  for (const CheckEntry& check : checks()) {
    INFO(check.name);
    CHECK(std::ranges::any_of(kFaults, [&](const Fault& fault) { return fault.check == check.name; }));
  }
}

TEST_CASE("what does not exist on a device cannot be checked, and says why") {
  const auto cpu = open_device("cpu");
  Bench bench;
  const Subject& fake = bench.subject;
  Subject subject{*cpu,           fake.clock,     fake.means,    fake.models,      fake.wait,
                  fake.run_case,  fake.run_pilot, fake.product,  fake.dropout,     fake.noise,
                  fake.make_work, fake.allocate,  fake.resident, fake.measure_roof};
  for (const auto& [check, why] : {std::pair{"replay", "graphs need an NVIDIA GPU"},
                                   {"execution", "graphs need an NVIDIA GPU"},
                                   {"largest-batch", "within a process"},
                                   {"memory", "peak_host_bytes"}}) {
    const CheckRows rows = run_check(checks().require(check, ""), subject);
    CHECK(rows.front().status == CheckStatus::kUnchecked);
    CHECK_THAT(rows.front().message, contains_text(why));
  }
}

TEST_CASE("a check that throws is a row that failed") {
  Bench bench;
  bench.subject.make_work = []() -> KnownWork { throw std::runtime_error("device-side assert triggered"); };
  const CheckRows rows = rows_of("waiting", bench);
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().status == CheckStatus::kFail);
  CHECK_THAT(rows.front().message, contains_text("device-side assert"));
}

TEST_CASE("the CPU fails no check that does not rest on time") {
  const auto cpu = open_device("cpu");
  const SteadyClock clock;
  const SelftestMeans means{
      clock, [](const DataSpec& spec, const SplitSizes& sizes) { return make_synthetic(spec, sizes, 1); },
      [](const std::function<void()>&) {
        return PowerTrial{{}, "no meter"};
      }};
  Subject subject = real_subject(*cpu, clock, means);
  const auto& all = models();
  subject.models = Catalog<ModelEntry>("model", {all.require("mlp", ""), all.require("cnn", ""),
                                                 all.require("lstm", ""), all.require("vae", "")});
  for (const char* check : {"products", "losses", "precisions", "execution", "layouts", "loaders", "seeds",
                            "updates", "dropout", "noise", "replay", "out-of-memory", "recovery", "energy"}) {
    for (const CheckRow& row : run_check(checks().require(check, ""), subject)) {
      INFO(text_of(row));
      CHECK(row.status != CheckStatus::kFail);
    }
  }
}
