#pragma once
// Conditions of measurements, and the meaning of their differences. docs/comparing.md lists the rules.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/record/parameter.h"

namespace gpubench {

/// Condition of a measurement. A difference may make values of two candidates incomparable.
struct Condition {
  std::string_view name;     ///< "precision", "LibTorch".
  Effects effects;           ///< Effects of a difference.
  std::string value;         ///< Empty if the file does not state it.
  bool is_choice = false;    ///< Variants of an interleaved run may differ in it intentionally.
  bool is_doubtful = false;  ///< The value is a caution even if both candidates have it.
  std::string scope{};  ///< Only values of equal scope are compared, such as drivers of one device model.
  double amount = 0;    ///< Numeric value: differences up to 1 % are ignored; 0 for none.
  /// Part of what is measured rather than of its circumstances: a gate refuses a difference, and each value
  /// has its own series.
  bool is_setting = false;
};
using Conditions = std::vector<Condition>;

/// Difference in a condition, with its effect on each class of metrics.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< Value of the baseline.
  std::string right;
  Effects effect{};
  bool is_choice = false;   ///< Intentional difference of variants in an interleaved run.
  bool is_setting = false;  ///< See Condition.

  Comparability on(MetricClass metric_class) const { return effect_on(metric_class, effect); }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Name of the condition of files whose checksum does not match their content.
inline constexpr std::string_view kChangedFile = "changed file";

/// Compares conditions by position: both sides have the list of their kind of row. Choices have no effect if
/// they are allowed.
std::vector<Difference> compare_conditions(const Conditions& left, const Conditions& right,
                                           bool allows_choices);

/// Returns the value of a condition of a row or a candidate; empty if it is unknown.
template <class Owner>
std::string find_condition(const Owner& owner, std::string_view name) {
  const auto found = std::ranges::find(owner.conditions, name, &Condition::name);
  return found == owner.conditions.end() ? "" : found->value;
}

/// Returns the worst effect of any of `differences` on metrics of the class.
Comparability comparability_on(MetricClass metric_class, const std::vector<Difference>& differences);

/// Returns the option value that names a setting: "thread-count".
std::string setting_name(std::string_view condition);

std::string to_string(MetricClass metric_class);
std::string to_string(Comparability comparability);

}  // namespace gpubench
