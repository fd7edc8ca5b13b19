#pragma once

#include <string>
#include <vector>

#include "app/ab/variants.h"
#include "app/command.h"

namespace gpubench {

/// Parses the arguments after the program's name; without a command they are options of `train`. `--help` and
/// `--version` become commands. Throws a usage Error that names an unknown argument and the nearest known
/// one.
Command parse_command_line(const std::vector<std::string>& arguments);

/// Returns the command of `former`, the arguments of an earlier run, with options overridden by `now`.
/// Ignores a command in `now`. Throws as parse_command_line() does.
Command parse_continued(const std::vector<std::string>& former, const std::vector<std::string>& now);

/// Returns the given options, each once, in the order of their first occurrence. Throws as
/// parse_command_line() does.
NamedOptions named_options(const std::vector<std::string>& arguments);

/// Returns the completions of the last of `words`, the unfinished arguments after the program's name.
std::vector<std::string> completions(const std::vector<std::string>& words);

}  // namespace gpubench
