#include "engine/judge/convergence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpubench {

std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch) {
  const auto bad =
      std::find_if_not(epoch_losses.begin(), epoch_losses.end(), [](double x) { return std::isfinite(x); });
  if (bad != epoch_losses.end()) {
    return fmt::format("the training loss of epoch {} is not finite", bad - epoch_losses.begin() + 1);
  }
  const auto epochs = static_cast<std::int64_t>(epoch_losses.size());
  if (epochs < 2 || epochs * steps_per_epoch < kJudgedSteps) return {};
  if (epoch_losses.back() < epoch_losses.front()) return {};
  return fmt::format("the training loss did not fall: {:.4g} in epoch 1, {:.4g} in epoch {}",
                     epoch_losses.front(), epoch_losses.back(), epochs);
}

std::string standstill(std::span<const double> epoch_losses) {
  if (epoch_losses.size() < 2) return {};
  const double first = epoch_losses.front();
  const double last = epoch_losses.back();
  constexpr double kRounding = 1e-7;
  if (!(std::abs(last - first) <= kRounding * std::abs(first))) return {};
  return fmt::format("the training loss did not move: {:.7g} in epoch 1 and in epoch {}", first,
                     epoch_losses.size());
}

}  // namespace gpubench
