// Recording under `--execution auto`, on a CPU that plays a device which records.

#include <algorithm>

#include <ATen/Context.h>
#include <ATen/ops/rand_like.h>

#include "support/catch.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"
#include "tiny.h"
#include "workloads/train/runner.h"

namespace gpubench::test::execution_trial_test {

namespace {

enum class Replay { kRight, kNothing, kSameNumbers };

/// Does again what it recorded: rightly, or with a fault.
class RecordingDevice : public RepeatingDevice {
 public:
  explicit RecordingDevice(Replay replay) : replay_(replay) {}

  void repeat(const std::function<void()>& work) override {
    if (replay_ == Replay::kNothing) return;
    if (replay_ == Replay::kSameNumbers) at::manual_seed(7);
    work();
  }

 private:
  Replay replay_;
};

/// A number that learns half of the noise, which it draws in every step.
class NoisyModel : public Model {
 public:
  NoisyModel() : weight_(register_parameter("weight", at::full({4}, 0.1))) {}
  std::vector<ParameterGroup> parameter_groups() override { return {{"weight", parameters(), {}}}; }
  std::vector<std::string> metrics() const override { return {"loss"}; }
  Results train_step(const Batch&, Step& step) override {
    return {step.minimise(0, [&] { return (weight_ - at::rand_like(weight_)).square().sum(); })};
  }
  Results evaluate(const Batch&) override { return {weight_.detach().sum()}; }

 private:
  at::Tensor weight_;
};

CaseRecord run(Device& device, Execution execution) {
  static const ModelEntry noisy{
      "noisy", "",
      "noisy", tiny_spec(),
      "image", [](const ModelSizes&) -> std::shared_ptr<Model> {
        return std::make_shared<NoisyModel>(); }};
  Case c = tiny_case();
  c.model = &noisy;
  c.asked.mode.execution = execution;
  CountingMonitor monitor;
  return run_case(c, tiny_dataset(), device, SteadyClock(), monitor);
}

bool was_tried(const CaseRecord& record) {
  return std::ranges::any_of(record.timeline,
                             [](const Phase& each) { return each.name == "execution trial"; });
}

/// What trials find is kept in a folder of the test's own.
struct EmptyCache {
  TempDir folder;
  ScopedVariable home{"XDG_CACHE_HOME", folder.path().string()};
};

}  // namespace

TEST_CASE("auto records where that comes to the same as eager steps, and tries it once for a machine") {
  const EmptyCache cache;
  RecordingDevice device(Replay::kRight);
  const CaseRecord first = run(device, Execution::kAuto);
  CHECK(first.status == RowStatus::kOk);
  CHECK(first.execution_used.value() == "graph");
  CHECK(first.execution_note == "4 steps in one graph");
  CHECK(was_tried(first));
  CHECK(first.trained_steps == 3 * 4);
  const CaseRecord second = run(device, Execution::kAuto);
  CHECK(second.execution_used.value() == "graph");
  CHECK_FALSE(was_tried(second));
  CHECK(second.parameter_checksum == first.parameter_checksum);
}

TEST_CASE("a recording that trains otherwise is not taken by auto, and the note says so") {
  const EmptyCache cache;
  RecordingDevice device(GENERATE(Replay::kNothing, Replay::kSameNumbers));
  const CaseRecord first = run(device, Execution::kAuto);
  CHECK(first.status == RowStatus::kOk);
  CHECK(first.execution_used.value() == "eager");
  CHECK_THAT(first.execution_note, contains_text("recorded steps train otherwise: "));
  const CaseRecord second = run(device, Execution::kAuto);
  CHECK_FALSE(was_tried(second));
  CHECK(second.execution_note == first.execution_note);
}

TEST_CASE("modes are known at once where nothing is auto, and tried together where both are") {
  const EmptyCache cache;
  RecordingDevice device(Replay::kNothing);
  Case c = tiny_case();
  CHECK_FALSE(cached_modes(c, device).has_value());
  const ResolvedModes tried = try_modes(c, tiny_dataset(), device, SteadyClock());
  CHECK(tried.layout.used == Layout::kNchw);
  CHECK(tried.execution.used == Execution::kEager);
  CHECK(cached_modes(c, device)->execution.note == tried.execution.note);
  c.asked.mode.execution = Execution::kGraph;
  c.asked.mode.layout = Layout::kChannelsLast;
  CHECK(cached_modes(c, device)->execution.used == Execution::kGraph);
  CHECK(cached_modes(c, device)->layout.used == Layout::kChannelsLast);
}

}  // namespace gpubench::test::execution_trial_test
