#pragma once
// Attacks on the real program, as rows of tables: what is done, and the right answer.

#include <map>
#include <string>
#include <vector>

namespace gpubench::test {

/// For what may be a sound document after all: 0, 2 or 3.
constexpr int kSoundOrRefused = -1;

/// A row. Findings of the review that led to it are named at the beginning of `what`: "M11: ...".
struct Attack {
  std::string what;
  int code = 0;         ///< Of the shell that runs `command`: never 1, and no signal; or kSoundOrRefused.
  std::string words;    ///< What stdout or stderr must have, parts separated by " .. ".
  std::string command;  ///< Of a shell in a folder of its own, with the functions of shell_functions().
  std::string prepare = {};  ///< Runs before, and may fail silently.
  std::string makes = {};    ///< Names of files that `command` makes or changes, separated by spaces.
  std::map<std::string, std::string> files = {};  ///< Content by name, written before `prepare`.
};

/// What commands may call beside the system's own: gpubench, train (on a stand-in without LibTorch), ...
std::string shell_functions();

/// What they find: HOME and caches below `folder`, the fixtures as data, no network.
std::map<std::string, std::string> attack_environment(const std::string& folder);

/// Runs each attack, and fails the test unless all of them hold: the answer is as the row says; it came
/// within 30 s, those not counted that others took of the machine; no signal ended anything; each line of
/// stderr begins with "gpubench: "; neither output has a control character that a terminal would obey; no
/// script of a text is in a page, no formula begins a cell; no file is changed or made beside those that the
/// row names.
void withstand(const std::string& group, const std::vector<Attack>& attacks);

/// The same of a hundred of them, evenly spread, or of all where GPUBENCH_HOSTILE is set: for tables that
/// a loop makes.
void withstand_some(const std::string& group, const std::vector<Attack>& attacks);

}  // namespace gpubench::test
