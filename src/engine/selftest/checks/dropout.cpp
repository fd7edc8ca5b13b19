#include <cmath>

#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "engine/selftest/checks/entries.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

constexpr std::int64_t kCount = 1 << 20;
constexpr double kDeviations = 6;
/// A CPU rounds the probability to a multiple of this.
constexpr double kGrain = 1.0 / 65536;

double part(const at::Tensor& is_so) { return is_so.to(at::kDouble).mean().item<double>(); }

CheckRow rate(const at::Tensor& dropped, double probability) {
  const double found = part(dropped.eq(0));
  const double tolerance =
      kGrain + kDeviations * std::sqrt(probability * (1 - probability) / static_cast<double>(kCount));
  return compared(fmt::format("rate {}", probability), std::abs(found - probability), tolerance,
                  fmt::format("{:.3f} % of {} were dropped", 100 * found, kCount));
}

/// Two masks that know nothing of each other agree where both keep or both drop.
CheckRow independence(const at::Tensor& one, const at::Tensor& other, double probability) {
  const double expected = probability * probability + (1 - probability) * (1 - probability);
  const double found = part(one.eq(0).eq(other.eq(0)));
  const double tolerance = 2 * kGrain + kDeviations / std::sqrt(static_cast<double>(kCount));
  return compared(fmt::format("from step to step {}", probability), std::abs(found - expected), tolerance,
                  fmt::format("{} of the elements share their fate in two steps, {} expected",
                              percent_text(found), percent_text(expected)));
}

CheckRow scale(const at::Tensor& dropped, double probability) {
  const double mean = dropped.to(at::kDouble).mean().item<double>();
  const double tolerance =
      4 * kGrain + kDeviations * std::sqrt(probability / (1 - probability) / static_cast<double>(kCount));
  return compared(fmt::format("scale {}", probability), std::abs(mean - 1), tolerance,
                  fmt::format("the mean of ones is {:.5f} afterwards", mean));
}

CheckRows run(Subject& subject) {
  const at::Tensor ones = at::ones({kCount}, at::TensorOptions(c10::Device(subject.device.name())));
  CheckRows rows;
  for (const double probability : {0.1, 0.5}) {
    const at::Tensor first = subject.dropout(ones, probability);
    const at::Tensor second = subject.dropout(ones, probability);
    rows.push_back(rate(first, probability));
    rows.push_back(scale(first, probability));
    rows.push_back(independence(first, second, probability));
  }
  return rows;
}

}  // namespace

CheckEntry check_dropout() {
  return {"dropout", "dropout drops the part that it is to drop, others in each step", run};
}

}  // namespace gpubench
