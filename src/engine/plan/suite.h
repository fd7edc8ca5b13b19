#pragma once
// Suites: named plans in JSON with // comments. See docs/training.md.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "gpubench/core/embedded_text.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// A named plan: the cases of its groups, in order.
struct Suite {
  std::string name;                ///< Stem of the file name, such as "s0".
  std::string summary;             ///< One line for `gpubench suite list`.
  std::string origin;              ///< "built-in" or the path of the file, for messages.
  std::string text;                ///< Source text, for `gpubench suite show`.
  std::optional<Seconds> timeout;  ///< Time limit of a case.
  std::optional<Seconds> budget;   ///< Time budget of the whole run.
  std::vector<TrainGrid> groups;
};

std::span<const EmbeddedText> built_in_suites();

/// Parses a suite; make_plan() checks its names. Throws a usage Error with `origin`, the group and the key.
Suite parse_suite(const std::string& name, const std::string& text, const std::string& origin);

/// Loads a suite from a file, or by name: from ${XDG_CONFIG_HOME:-~/.config}/gpubench/suites, then from the
/// built-in suites. Throws a usage Error for an unknown name or an unreadable file.
Suite load_suite(const std::string& name_or_file);

/// Returns the names of the built-in suites, then of the user's suites.
std::vector<std::string> suite_names();

/// Returns all readable suites. Adds a message to `faults` for each of the others.
std::vector<Suite> all_suites(std::vector<std::string>& faults);

}  // namespace gpubench
