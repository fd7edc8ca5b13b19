#include "compare/energy_rules.h"

#include <array>

namespace gpubench {
namespace {

/// What is looked at, and what it does to a comparison of energies. Unlike other rules these do not let pass
/// what a file does not tell: that two sources of power include the same has to be known.
struct EnergyRule {
  const char* what;
  std::string EnergyFigures::*value;
  Judgement (*judge)(const std::string& left, const std::string& right);
};

/// What the scope of a log or of a publication is, nobody has told.
bool is_known(const std::string& scope) { return scope != "unknown" && scope != "published"; }

Judgement judge_scopes(const std::string& left, const std::string& right) {
  if (!is_known(left) || !is_known(right)) return Judgement::kCaveat;
  return left == right ? Judgement::kComparable : Judgement::kRefused;
}

/// A counter and samples of power tell the same, but for the method that is biased upward.
Judgement judge_methods(const std::string& left, const std::string& right) {
  const std::string biased = to_string(EnergyMethod::kSpikeQ30);
  return (left == biased) == (right == biased) ? Judgement::kComparable : Judgement::kCaveat;
}

/// What was replayed, no machine drew.
Judgement judge_meters(const std::string& left, const std::string& right) {
  return left == "replay" || right == "replay" ? Judgement::kCaveat : Judgement::kComparable;
}

constexpr std::array kRules = {EnergyRule{"energy scope", &EnergyFigures::scope, judge_scopes},
                               EnergyRule{"energy method", &EnergyFigures::method, judge_methods},
                               EnergyRule{"power meter", &EnergyFigures::meter, judge_meters}};

std::string told(const std::string& value) {
  if (value == to_string(EnergyMethod::kSpikeQ30)) return value + " (biased upward)";
  return value.empty() ? "not told" : value;
}

}  // namespace

std::vector<Difference> energy_differences(const CaseFigures& left, const CaseFigures& right) {
  std::vector<Difference> all;
  if (!left.epoch_joules.has_value() || !right.epoch_joules.has_value()) return all;
  for (const EnergyRule& rule : kRules) {
    const std::string& a = left.energy.*rule.value;
    const std::string& b = right.energy.*rule.value;
    Difference difference{rule.what, told(a), told(b), {}};
    difference.effect[static_cast<std::size_t>(Metric::kEnergy)] = rule.judge(a, b);
    if (difference.on(Metric::kEnergy) != Judgement::kComparable) all.push_back(std::move(difference));
  }
  return all;
}

}  // namespace gpubench
