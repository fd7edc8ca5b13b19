#pragma once
// Attacks on the real program, as rows of tables: a command and the right answer.

#include <map>
#include <string>
#include <vector>

namespace gpubench::test {

/// Accepts exit codes 0, 2 and 3, for documents that may be valid or not.
constexpr int kSoundOrRefused = -1;

/// An attack. `what` may begin with a finding of a security review: "M11: ...".
struct Attack {
  std::string what;
  int code = 0;              ///< Exit code of the shell that runs `command`, or kSoundOrRefused. Never 1.
  std::string words;         ///< Required parts of stdout or stderr, separated by " .. ".
  std::string command;       ///< Shell command, run in an empty folder. It may use shell_functions().
  std::string prepare = {};  ///< Shell command to run first. Its errors are ignored.
  std::string makes = {};    ///< Names of files that `command` creates or changes, separated by spaces.
  std::map<std::string, std::string> files = {};  ///< Files to write before `prepare`: content by name.
};

/// Returns the shell functions that commands may use: gpubench, train (with stand-in workers), ...
std::string shell_functions();

/// Returns the environment of commands: HOME and caches below `folder`, the fixtures as data, no network.
std::map<std::string, std::string> attack_environment(const std::string& folder);

/// Runs each attack. Fails the test unless the answer is right and takes at most 30 s, without time taken by
/// other processes. No process may end by a signal, each line of stderr begins with "gpubench: ", and the
/// output has no control characters, no script in a page and no formula in a cell. Only files in `makes` may
/// change.
void withstand(const std::string& group, const std::vector<Attack>& attacks);

/// Runs about a hundred of the attacks, evenly spread, or all if GPUBENCH_HOSTILE is set. For generated
/// tables.
void withstand_some(const std::string& group, const std::vector<Attack>& attacks);

}  // namespace gpubench::test
