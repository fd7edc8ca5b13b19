#pragma once
// A device, clocks, trainings and meters for the checks of selftest, which are sound until a fault is planted
// in them.

#include <algorithm>
#include <cmath>

#include <ATen/Context.h>

#include "engine/selftest/check.h"
#include "engine/torch/failure.h"
#include "engine/training/optimizer/optimizer.h"
#include "gpubench/model.h"

namespace gpubench::test {

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

/// The catalog with nothing but this network under that name.
Catalog<ModelEntry> one_model(const std::string& name, Build build);

/// A source of power that reads so many watts, and counts so many joules over six seconds of load.
PowerDiagnosis power_source(const std::string& device, double idle, double load, double counted);

/// A unit of work takes a hundredth of a second; faulty work takes as long however many units there are.
KnownWork work_in(World& world, bool is_skipped_at_once = false);

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

}  // namespace gpubench::test
