#pragma once
// A warning of a run.

#include <optional>
#include <string>

namespace gpubench {

/// A disturbance of a measurement. Stored as data; formatted where it is shown.
struct Warning {
  std::string kind;  ///< Alike for one cause, "host-memory-growth"; docs/environment.md lists them.
  std::optional<double> figure;  ///< How bad, in a unit of the kind's: the larger the worse.
  std::string text;              ///< A sentence for people, with the figure.

  friend bool operator==(const Warning&, const Warning&) = default;
};

}  // namespace gpubench
