// `--execution auto` on a CPU that simulates a recording device.

#include <algorithm>

#include <ATen/Context.h>
#include <ATen/ops/rand_like.h>

#include "support/catch.h"
#include "tiny.h"
#include "workloads/cases/runner.h"

namespace gpubench::test::execution_trial_test {

namespace {

enum class Replay { kRight, kNothing, kSameNumbers };

/// Device that replays its work, optionally with a fault.
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

/// Model with one parameter, which learns half of the noise of each step.
class NoisyModel : public Model {
 public:
  NoisyModel() : weight_(register_parameter("weight", at::full({4}, 0.1))) {}
  std::vector<ParameterGroup> parameter_groups() override { return {{"weight", parameters(), {}}}; }
  std::vector<std::string> metrics() const override { return {"loss"}; }
  Results train_step(const Batch&, Step& step) override {
    return {step.minimise(0, [&] { return (weight_ - at::rand_like(weight_)).square().sum(); })};
  }
  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch&) override { return {weight_.detach().sum()}; }

 private:
  at::Tensor weight_;
};

Case noisy_case() {
  static const ModelEntry noisy{
      "noisy", "",
      "noisy", tiny_spec(),
      "image", [](const ModelSizes&) -> std::shared_ptr<Model> {
        return std::make_shared<NoisyModel>(); }};
  Case c = tiny_case();
  c.model = &noisy;
  c.asked.mode.execution = Execution::kAuto;
  return c;
}

CaseRecord run(const Case& c, Device& device) {
  CountingMonitor monitor;
  return run_case(c, tiny_dataset(), device, SteadyClock(), monitor);
}

bool was_tried(const CaseRecord& record) {
  return std::ranges::any_of(record.timeline,
                             [](const Phase& each) { return each.name == "execution trial"; });
}

}  // namespace

TEST_CASE("auto records if results equal those of eager steps, and reuses an earlier trial") {
  RecordingDevice device(Replay::kRight);
  Case c = noisy_case();
  const CaseRecord first = run(c, device);
  CHECK(first.status == RowStatus::kOk);
  CHECK(first.execution_used.value() == "graph");
  CHECK(first.execution_note == "4 steps in one graph");
  CHECK(was_tried(first));
  CHECK(first.trained_steps == 3 * 4);
  c.tried = try_modes(c, tiny_dataset(), device, SteadyClock());
  CHECK(c.tried.layout->is_lasting);
  CHECK(c.tried.execution->is_lasting);
  const CaseRecord second = run(c, device);
  CHECK(second.execution_used.value() == "graph");
  CHECK_FALSE(was_tried(second));
  CHECK(second.parameter_checksum == first.parameter_checksum);
}

TEST_CASE("auto rejects a recording with different results, and the note has the reason") {
  RecordingDevice device(GENERATE(Replay::kNothing, Replay::kSameNumbers));
  Case c = noisy_case();
  const CaseRecord first = run(c, device);
  CHECK(first.status == RowStatus::kOk);
  CHECK(first.execution_used.value() == "eager");
  CHECK_THAT(first.execution_note, contains_text("recorded steps have different results: "));
  c.tried = try_modes(c, tiny_dataset(), device, SteadyClock());
  CHECK(c.tried.execution->is_lasting);
  const CaseRecord second = run(c, device);
  CHECK_FALSE(was_tried(second));
  CHECK_THAT(second.execution_note, contains_text("recorded steps have different results: "));
}

TEST_CASE("auto is eager if recording fails, and another run tries again") {
  struct Unrecordable : RepeatingDevice {
    std::unique_ptr<RecordedWork> record_graph(const std::function<void()>&,
                                               const std::function<void()>&) override {
      throw std::runtime_error("no graph today");
    }
  } device;
  const ResolvedModes modes = try_modes(noisy_case(), tiny_dataset(), device, SteadyClock());
  CHECK(modes.execution->used == Execution::kEager);
  CHECK_FALSE(modes.execution->is_lasting);
}

TEST_CASE("explicit modes need no trial, and two automatic modes are tried together") {
  RecordingDevice device(Replay::kNothing);
  Case c = tiny_case();
  CHECK_FALSE(known_modes(c, device).is_whole());
  c.tried = try_modes(c, tiny_dataset(), device, SteadyClock());
  CHECK(c.tried.layout->used == Layout::kNchw);
  CHECK(c.tried.execution->used == Execution::kEager);
  CHECK(known_modes(c, device).execution->note == c.tried.execution->note);
  c.asked.mode.execution = Execution::kGraph;
  c.asked.mode.layout = Layout::kChannelsLast;
  CHECK(known_modes(c, device).execution->used == Execution::kGraph);
  CHECK(known_modes(c, device).layout->used == Layout::kChannelsLast);
}

}  // namespace gpubench::test::execution_trial_test
