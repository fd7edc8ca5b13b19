#pragma once
// Named plans. The text format is JSON with // comments; docs/suites.md describes it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "gpubench/core/embedded_text.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// A plan with a name: the cases of its groups, one group after the other.
struct Suite {
  std::string name;                ///< "s0"; the stem of the file's name.
  std::string summary;             ///< One line for `gpubench suite list`.
  std::string origin;              ///< "built-in", or the path of the file, for messages.
  std::string text;                ///< What it was read from, for `gpubench suite show`.
  std::optional<Seconds> timeout;  ///< For one case.
  std::optional<Seconds> budget;   ///< For the whole run.
  std::vector<TrainGrid> groups;
};

std::span<const EmbeddedText> built_in_suites();

/// Reads a suite; make_plan() checks names. Throws a usage Error with `origin`, the group and the key.
Suite parse_suite(const std::string& name, const std::string& text, const std::string& origin);

/// Loads a suite by file, or by name from ${XDG_CONFIG_HOME:-~/.config}/gpubench/suites or the built-in ones.
/// Throws a usage Error for an unknown name or an unreadable file.
Suite load_suite(const std::string& name_or_file);

/// Returns the names of the built-in suites, then of those that the user adds.
std::vector<std::string> suite_names();

/// Returns the suites of those names. Adds to `faults` why others cannot be read.
std::vector<Suite> all_suites(std::vector<std::string>& faults);

}  // namespace gpubench
