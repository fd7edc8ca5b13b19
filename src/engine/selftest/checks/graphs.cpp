#include <ATen/ops/dropout.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "engine/selftest/check.h"
#include "gpubench/core/text/figures.h"

namespace gpubench::graphs_plugin {
namespace {

constexpr std::int64_t kCount = 1 << 16;
constexpr double kProbability = 0.5;
/// Half of two independent drawings with a probability of 1/2 are equal.
constexpr double kMostEqual = 0.6;
constexpr TrainingMode kEager{.execution = Execution::kEager, .layout = Layout::kNchw};
constexpr TrainingMode kGraph{.execution = Execution::kGraph, .layout = Layout::kNchw};

/// Compares the results of two replays of `draw`.
CheckRow replays(Subject& subject, const std::string& what, const std::function<at::Tensor()>& draw) {
  at::Tensor drawn = at::zeros({kCount}, at::TensorOptions(subject.place()));
  const auto work = [&] { drawn.copy_(draw()); };
  const auto recorded = subject.device.record_graph(work, work);
  const auto replayed = [&] {
    recorded->replay();
    subject.device.synchronize();
    return drawn.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
  };
  const at::Tensor first = replayed();
  const double equal = first.eq(replayed()).to(at::kDouble).mean().item<double>();
  return compared(what, equal, kMostEqual, fmt::format("{} are equal in two replays", percent_text(equal)));
}

/// Fails in the middle of a recording, as a model does that reads a result of its step.
void fail_to_record(Subject& subject) {
  try {
    subject.device.record_graph([] {},
                                [&] {
                                  at::randn({kCount}, at::TensorOptions(subject.place())).sum().item<float>();
                                  throw Error(ErrorKind::kDevice, "a result was read during recording");
                                });
  } catch (const std::exception&) {
  }
}

CheckRows run(Subject& subject) {
  const std::string why_not = subject.device.why_no_graph();
  if (!why_not.empty()) return {unchecked("", why_not)};
  const at::Tensor ones = at::ones({kCount}, at::TensorOptions(subject.place()));
  CheckRows rows{replays(subject, "dropout", [&] { return at::dropout(ones, kProbability, /*train=*/true); }),
                 replays(subject, "noise", [&] { return at::randn({kCount}, ones.options()); }),
                 compared_modes(subject, "cnn", kGraph, kEager, ""),
                 compared_modes(subject, "lstm", kGraph, kEager, "")};
  fail_to_record(subject);
  rows.push_back(compared_modes(subject, "mlp", kGraph, kEager, "after a failed recording"));
  return rows;
}

}  // namespace

CheckEntry entry_graphs() {
  return {"graphs", "recorded epochs learn what eager ones learn, with new random numbers in each", run};
}

}  // namespace gpubench::graphs_plugin
