#pragma once

#include <string>
#include <vector>

#include "app/ab/sides.h"
#include "app/command.h"
#include "app/train_options.h"

namespace gpubench {

/// Parses the arguments after the program's name; without a command they are options of `train`. Throws a
/// usage Error that names the argument and the nearest known one. `--help` and `--version` become commands.
Command parse_command_line(const std::vector<std::string>& arguments);

/// Returns the command of `former`, the words of a run, with the options of `now` laid over them; a command
/// in `now` does not count. Throws as parse_command_line does.
Command parse_continued(const std::vector<std::string>& former, const std::vector<std::string>& now);

/// Returns the options of a training command line, laid over `base`. Throws as parse_command_line does.
TrainOptions parse_over(const TrainGrid& base, const std::vector<std::string>& arguments);

/// Returns the named options, each once, in order of their first words. Throws as parse_command_line does.
NamedOptions named_options(const std::vector<std::string>& arguments);

/// Returns the completions of the last of `words`, the unfinished arguments after the program's name.
std::vector<std::string> completions(const std::vector<std::string>& words);

}  // namespace gpubench
