// Steps of small networks under LibTorch's profiler.

#include "workloads/cost/cost.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include <ATen/ops/rand.h>
#include <ATen/record_function.h>
#include <torch/nn/modules/rnn.h>
#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "support/temp_dir.h"
#include "tiny.h"
#include "workloads/cases/runner.h"
#include "workloads/input/batch_source.h"
#include "workloads/profile/sums.h"

namespace gpubench::test::profile_test {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// A step with parts marked like those of the trainer.
class MarkedStep : public Step {
 public:
  explicit MarkedStep(Model& model) : model_(model) {}

  at::Tensor minimise(std::size_t, const std::function<at::Tensor()>& compute_loss) override {
    at::Tensor loss;
    {
      RECORD_USER_SCOPE(kForwardScope);
      loss = compute_loss();
    }
    {
      RECORD_USER_SCOPE(kBackwardScope);
      loss.backward();
    }
    RECORD_USER_SCOPE(kOptimizerScope);
    const at::NoGradGuard no_grad;
    for (at::Tensor& parameter : model_.parameters()) parameter.sub_(parameter.grad(), 0.01);
    return loss.detach();
  }

 private:
  Model& model_;
};

class TinySteps {
 public:
  void operator()() {
    ++count;
    Batch batch;
    {
      RECORD_USER_SCOPE(kInputScope);
      batch = data_.slice(0, 16);
    }
    model_->train_step(batch, step_);
  }

  int count = 0;

 private:
  std::shared_ptr<Model> model_ = tiny_model().build({});
  MarkedStep step_{*model_};
  ResidentSplit data_{tiny_dataset().train, 0, at::kCPU};
};

CaseRecord profile(const std::function<void()>& step, const std::string& trace = "") {
  CaseRecord record;
  record.status = RowStatus::kOk;
  CountingDevice device;
  profile_steps(step, 5, trace, device, record);
  CHECK(record.status == RowStatus::kOk);
  return record;
}

std::vector<std::string> names(const NamedValues& values) {
  std::vector<std::string> all;
  for (const auto& [name, seconds] : values) all.push_back(name);
  return all;
}

bool contains(const NamedValues& values, const std::string& name) {
  const std::vector<std::string> all = names(values);
  return std::find(all.begin(), all.end(), name) != all.end();
}

double total(const NamedValues& values) {
  double sum = 0;
  for (const auto& [name, seconds] : values) sum += seconds;
  return sum;
}

/// Returns the durations of all events of the trace with this name, in seconds.
std::vector<double> durations(const Json& trace, const std::string& name) {
  std::vector<double> all;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.value("name", "") == name && event.contains("dur"))
      all.push_back(1e-6 * event["dur"].get<double>());
  }
  return all;
}

}  // namespace

TEST_CASE("profiled steps are divided into phases and kinds of layers, and match the trace") {
  const TempDir dir;
  const fs::path file = dir.path() / "new" / "tiny.json";
  TinySteps steps;
  const CaseRecord record = profile(std::ref(steps), file.string());
  INFO(record.profile_phases.reason());
  CHECK(steps.count > 5);  // Includes warm-up steps.
  CHECK(record.warnings.empty());

  const NamedValues phases = record.profile_phases.value();
  CHECK(names(phases) == std::vector<std::string>{"input", "forward", "backward", "optimizer", "other"});
  for (const auto& [name, seconds] : phases) CHECK(seconds >= 0);
  const NamedValues layers = record.profile_layers.value();
  for (const char* kind : {"matrix product", "loss", "optimizer"}) CHECK(contains(layers, kind));
  for (const auto& [name, seconds] : layers) CHECK(seconds >= 0);
  CHECK(total(layers) <= total(phases));

  const Json trace = Json::parse(std::ifstream(file));
  const std::vector<double> whole = durations(trace, "gpubench.step");
  CHECK(whole.size() == 5);
  CHECK(total(phases) == approx(std::accumulate(whole.begin(), whole.end(), 0.0) / 5));
  for (const char* scope : {kInputScope, kForwardScope, kBackwardScope, kOptimizerScope}) {
    CHECK(durations(trace, scope).size() == 5);
  }
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), {}) == 1);
}

TEST_CASE("a failed step is the reason for a missing profile, and the next profile is complete") {
  const int last_good = GENERATE(0, 4);  // Fails during warm-up, or under the profiler.
  TinySteps steps;
  const CaseRecord record = profile([&] {
    if (steps.count == last_good) throw std::runtime_error("cable unplugged");
    steps();
  });
  CHECK(record.profile_phases.reason() == "cable unplugged");
  CHECK(record.profile_layers.reason() == "cable unplugged");
  REQUIRE(record.warnings.size() == 1);
  CHECK(record.warnings[0] == Warning{WarningKind::kNoProfile, {}, "no profile: cable unplugged"});
  CHECK(profile(TinySteps()).profile_phases.has_value());
}

TEST_CASE("an LSTM counts as recurrent in both passes") {
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(8, 16));
  const at::Tensor inputs = at::rand({5, 4, 8});
  const CaseRecord record = profile([&] {
    RECORD_USER_SCOPE(kForwardScope);
    std::get<0>(lstm->forward(inputs)).sum().backward();
  });
  const NamedValues layers = record.profile_layers.value();
  CHECK(contains(layers, "recurrent"));
  CHECK_FALSE(contains(layers, "matrix product"));
}

TEST_CASE("a profile changes nothing else in a row") {
  const auto run = [](bool is_profiled) {
    Case c = tiny_case();
    c.asked.is_profiled = is_profiled;
    CountingDevice device;
    CountingMonitor monitor;
    return run_case(c, tiny_dataset(), device, SteadyClock(), monitor);
  };
  const CaseRecord plain = run(false);
  const CaseRecord profiled = run(true);
  CHECK_FALSE(plain.profile_phases.has_value());
  CHECK(names(profiled.profile_phases.value()) ==
        std::vector<std::string>{"input", "forward", "backward", "optimizer", "other"});
  CHECK(profiled.status == RowStatus::kOk);
  CHECK(profiled.epoch_seconds.size() == plain.epoch_seconds.size());
  CHECK(profiled.trained_steps == plain.trained_steps);
  CHECK(profiled.training == plain.training);
  CHECK(profiled.test == plain.test);
  CHECK(profiled.parameter_checksum == plain.parameter_checksum);
}

TEST_CASE("on CUDA a profile has the seconds of device work, by the phase of its launch") {
  if (!has_cuda()) return;
  const auto device = open_device("cuda");
  CountingMonitor monitor;
  Case c = tiny_case();
  c.asked.device = device->name();
  c.asked.is_profiled = true;
  const CaseRecord record = run_case(c, tiny_dataset(), *device, SteadyClock(), monitor);
  INFO(record.profile_phases.reason());
  const NamedValues phases = record.profile_phases.value();
  CHECK(names(phases) == std::vector<std::string>{"input", "forward", "backward", "optimizer", "other"});
  for (const auto& [name, seconds] : phases) CHECK(seconds > 0);
  const NamedValues layers = record.profile_layers.value();
  for (const char* kind : {"matrix product", "loss", "optimizer", "input"}) CHECK(contains(layers, kind));
  CHECK(total(layers) < total(phases));
}

}  // namespace gpubench::test::profile_test
