#include <ATen/ATen.h>
#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/figures.h"
#include "workloads/selftest/check.h"

namespace gpubench::modes_plugin {
namespace {

constexpr TrainingMode kEager{.execution = Execution::kEager, .layout = Layout::kNchw};
constexpr TrainingMode kGraph{.execution = Execution::kGraph, .layout = Layout::kNchw};
constexpr TrainingMode kChannelsLast{.execution = Execution::kEager, .layout = Layout::kChannelsLast};
constexpr TrainingMode kHost{
    .execution = Execution::kEager, .layout = Layout::kNchw, .loader = Loader::kHost};
constexpr std::int64_t kCount = 1 << 16;

CheckRow compared_with_eager(Subject& subject, const std::string& model, const TrainingMode& mode,
                             const std::string& what) {
  constexpr double kTolerance = 1e-3;  // Samples or kernels' sums are in a different order.
  return compared_losses(subject, what, {.model = model, .mode = mode},
                         list_losses(train(subject, {.model = model, .mode = kEager})), kTolerance);
}

CheckRows check_modes(Subject& subject) {
  return {compared_with_eager(subject, "cnn", kChannelsLast, "cnn channels-last"),
          compared_with_eager(subject, "cnn1", kChannelsLast, "cnn1 channels-last"),
          compared_with_eager(subject, "cnn", kHost, "cnn host loader"),
          compared_with_eager(subject, "lstm", kHost, "lstm host loader")};
}

CheckRows check_seeds(Subject& subject) {
  constexpr double kTolerance = 1e-3;  // The order of additions in GPU kernels may vary.
  SmallTraining training{.model = "mlp", .samples = 64};
  const std::vector<double> first = list_losses(train(subject, training));
  const std::vector<double> second = list_losses(train(subject, training));
  training.seed = 2;
  const double equal = largest_difference(second, first);
  const double different = largest_difference(list_losses(train(subject, training)), first);
  const double tolerance = subject.place().is_cpu() ? 0 : kTolerance;
  return {
      compared("equal seeds", equal, tolerance, fmt::format("losses differ by {:.1e}", equal)),
      decided("different seeds", different > kTolerance, fmt::format("losses differ by {:.1e}", different))};
}

CheckRow replays(Subject& subject, const std::string& what, const std::function<at::Tensor()>& draw) {
  // Two independent draws with a probability of 1/2 agree in half of the elements.
  constexpr double kMostEqual = 0.6;
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
  return compared(what, equal, kMostEqual,
                  fmt::format("{} of the random numbers are equal in two replays", percent_text(equal)));
}

/// Fails in the middle of a recording, like a model that reads a result during its step.
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

CheckRows check_graphs(Subject& subject) {
  const std::string why_not = subject.device.why_no_graph();
  if (!why_not.empty()) return {unchecked("", why_not)};
  const at::Tensor ones = at::ones({kCount}, at::TensorOptions(subject.place()));
  CheckRows rows{replays(subject, "dropout", [&] { return at::dropout(ones, /*p=*/0.5, /*train=*/true); }),
                 replays(subject, "noise", [&] { return at::randn({kCount}, ones.options()); }),
                 compared_with_eager(subject, "cnn", kGraph, "cnn"),
                 compared_with_eager(subject, "lstm", kGraph, "lstm")};
  fail_to_record(subject);
  // Uses a model without dropout: random numbers differ between a recording and eager steps.
  rows.push_back(compared_with_eager(subject, "cnn", kGraph, "cnn after a failed recording"));
  return rows;
}

}  // namespace

CheckEntry entry_modes() {
  return {{"modes", "memory layouts and loaders do not change the losses"}, check_modes};
}

CheckEntry entry_seeds() {
  return {{"seeds", "equal seeds give equal losses, different seeds different ones"}, check_seeds};
}

CheckEntry entry_graphs() {
  return {{"graphs", "recorded epochs have the losses of eager ones, with new random numbers in each"},
          check_graphs};
}

}  // namespace gpubench::modes_plugin
