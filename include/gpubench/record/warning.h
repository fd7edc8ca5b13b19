#pragma once
// What may have disturbed a measurement: data until it is printed.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpubench {

struct Warning {
  std::string kind;  ///< Alike for one cause, "host-memory-growth"; docs/environment.md lists them.
  std::optional<double> figure;  ///< How bad, in a unit of the kind's: the larger the worse.
  std::string text;              ///< A sentence for people, with the figure.

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// Of a warning of which only the text is known, as older files have it.
inline constexpr const char* kOtherWarning = "other";

/// Warnings that are said once: those of one kind that differ in their figures, or those of one text.
struct WarningGroup {
  Warning worst;                  ///< The one with the largest figure.
  std::vector<std::size_t> rows;  ///< Whose warnings these are, one each.
};

/// Adds `warning` of `row` to the group it is of, or a new one.
void add_warning(const Warning& warning, std::size_t row, std::vector<WarningGroup>& groups);

}  // namespace gpubench
