#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "engine/selftest/checks/entries.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

constexpr std::int64_t kCount = 1 << 16;
constexpr double kProbability = 0.5;
/// Of two drawings of a probability of 1/2, half are expected to be equal.
constexpr double kMostEqual = 0.6;

/// How much of the result of two replays is equal.
double equal_part(Subject& subject, const std::function<at::Tensor()>& draw) {
  at::Tensor drawn = at::zeros({kCount}, at::TensorOptions(c10::Device(subject.device.name())));
  const auto work = [&] { drawn.copy_(draw()); };
  const auto recorded = subject.device.record_graph(work, work);
  const auto replayed = [&] {
    recorded->replay();
    subject.device.synchronize();
    return drawn.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
  };
  const at::Tensor first = replayed();
  return first.eq(replayed()).to(at::kDouble).mean().item<double>();
}

CheckRow check(Subject& subject, const std::string& what, const std::function<at::Tensor()>& draw) {
  const double equal = equal_part(subject, draw);
  return compared(what, equal, kMostEqual,
                  fmt::format("{} are the same in two replays", percent_text(equal)));
}

CheckRows run(Subject& subject) {
  const std::string why_not = subject.device.why_no_graph();
  if (!why_not.empty()) return {unchecked("", why_not)};
  const at::Tensor ones = at::ones({kCount}, at::TensorOptions(c10::Device(subject.device.name())));
  return {check(subject, "dropout", [&] { return subject.dropout(ones, kProbability); }),
          check(subject, "noise", [&] { return subject.noise(kCount); })};
}

}  // namespace

CheckEntry check_replay() { return {"replay", "recorded work draws new random numbers in each replay", run}; }

}  // namespace gpubench
