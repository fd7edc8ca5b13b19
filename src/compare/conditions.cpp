#include "compare/conditions.h"

#include <array>
#include <cctype>
#include <cmath>

namespace gpubench {
namespace {

using enum Comparability;

bool are_alike(const Condition& one, const Condition& other) {
  constexpr double kTolerance = 0.01;
  if (one.value.empty() || other.value.empty() || one.scope != other.scope) return true;
  if (one.is_doubtful || other.is_doubtful) return false;
  if (one.amount > 0 && other.amount > 0)
    return std::abs(one.amount - other.amount) <= kTolerance * std::max(one.amount, other.amount);
  return one.value == other.value;
}

}  // namespace

std::vector<Difference> compare_conditions(const Conditions& left, const Conditions& right,
                                           bool allows_choices) {
  std::vector<Difference> all;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const Condition& one = left[i];
    const Condition& other = right[i];
    if (are_alike(one, other)) continue;
    Difference difference{
        std::string(one.name), one.value, other.value, one.effects, one.is_choice && one.value != other.value,
        one.is_setting};
    if (allows_choices && difference.is_choice) difference.effect = kNoEffect;
    if (one.is_doubtful || other.is_doubtful) {
      for (Comparability& effect : difference.effect) effect = std::min(effect, kCaveat);
    }
    all.push_back(std::move(difference));
  }
  return all;
}

Comparability comparability_on(MetricClass metric_class, const std::vector<Difference>& differences) {
  Comparability worst = kComparable;
  for (const Difference& difference : differences) worst = std::max(worst, difference.on(metric_class));
  return worst;
}

std::string setting_name(std::string_view condition) {
  std::string name;
  for (const unsigned char c : condition) name += c == ' ' ? '-' : static_cast<char>(std::tolower(c));
  return name;
}

std::string to_string(MetricClass metric_class) {
  constexpr std::array kNames = {"time", "start-up", "memory", "quality", "energy", "latency"};
  return kNames[static_cast<std::size_t>(metric_class)];
}

std::string to_string(Comparability comparability) {
  constexpr std::array kNames = {"comparable", "caution", "refused"};
  return kNames[static_cast<std::size_t>(comparability)];
}

}  // namespace gpubench
