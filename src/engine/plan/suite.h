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
  std::vector<PlanOptions> groups;
};

/// The suites that are part of the program, in the order of `gpubench suite list`.
std::span<const EmbeddedText> built_in_suites();

/// The suite in `text`. Names and types are checked here, ranges and names of models and datasets by
/// make_plan. Throws a usage Error that starts with `origin` and names the group, the key, what is wrong and
/// the remedy.
Suite parse_suite(const std::string& name, const std::string& text, const std::string& origin);

/// The suite of that name or in that file. A name is looked for in the user's own folder,
/// ${XDG_CONFIG_HOME:-~/.config}/gpubench/suites, then among the built-in ones; anything with a '/' or ending
/// in ".json", and else the name of an existing file, is a path. Throws a usage Error for an unknown name,
/// with the nearest one, and for a file that cannot be read.
Suite load_suite(const std::string& name_or_file);

/// The names of the built-in suites, then of those that the user adds.
std::vector<std::string> suite_names();

/// The suites of those names, the user's in place of built-in ones. Of what cannot be read `faults` says why.
std::vector<Suite> all_suites(std::vector<std::string>& faults);

}  // namespace gpubench
