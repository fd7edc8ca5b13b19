#include "pages/profile_notes.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

/// What is less than this part of the whole is not named.
constexpr double kSmallest = 0.02;

double sum_of(const NamedValues& values) {
  double sum = 0;
  for (const auto& [name, value] : values) sum += value;
  return sum;
}

std::string part_text(const std::string& name, double part, double whole) {
  return fmt::format("{} {:.0f} %", name, 100 * part / whole);
}

std::string phases_text(const NamedValues& phases) {
  const double whole = sum_of(phases);
  std::vector<std::string> parts;
  for (const auto& [name, seconds] : phases) parts.push_back(part_text(name, seconds, whole));
  return join(parts);
}

std::string layers_text(NamedValues layers) {
  const double whole = sum_of(layers);
  std::stable_sort(layers.begin(), layers.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  std::vector<std::string> parts;
  double rest = 0;
  for (const auto& [name, seconds] : layers) {
    if (seconds < kSmallest * whole) {
      rest += seconds;
    } else {
      parts.push_back(part_text(name, seconds, whole));
    }
  }
  if (rest > 0) parts.push_back(part_text("rest", rest, whole));
  return join(parts);
}

}  // namespace

std::string profile_text(const CaseRecord& record) {
  if (!record.profile_phases.has_value() || sum_of(record.profile_phases.value()) <= 0) return {};
  const NamedValues& phases = record.profile_phases.value();
  const std::string text =
      fmt::format("a step of {}: {}", prefixed_text(sum_of(phases), "s"), phases_text(phases));
  if (!record.profile_layers.has_value() || sum_of(record.profile_layers.value()) <= 0) return text;
  return text + "; operations: " + layers_text(record.profile_layers.value());
}

}  // namespace gpubench
