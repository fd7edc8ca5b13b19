#pragma once
// Commands that run while faults are injected, and what must hold afterwards.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gpubench/record/environment.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace gpubench::test {

using Environment = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

/// How a run of gpubench ended.
struct Ending {
  ProcessResult result;
  bool is_hung = false;  ///< And was killed.
};

/// A command, and whether it makes a result that can be resumed.
struct Scenario {
  std::string name;
  Words words;
  std::string result = {};  ///< File that it makes.
  bool is_run = false;      ///< Recorded in the store, too.
  bool is_long = false;     ///< Takes seconds: only where it is asked for.
  Environment environment = {};
};

/// Returns the scenario of that name, or all that are not long if the name is empty.
std::vector<Scenario> scenarios_named(const std::string& name);

/// Where scenarios begin: results of an undisturbed run, whole and half done, and what each scenario prints.
class Workshop {
 public:
  explicit Workshop(const std::vector<Scenario>& scenarios);

  /// Runs the scenario in a fresh folder with `more` in its environment. Returns what is wrong with what
  /// happened, a line each; nothing where all is well.
  std::vector<std::string> check(const Scenario& scenario, const Environment& more) const;

  /// Runs it without faults.
  ProcessResult undisturbed(const Scenario& scenario, const Environment& more) const;

 private:
  TempDir start_;  // Copied for each scenario.
  std::map<std::string, std::string> printed_;
};

}  // namespace gpubench::test
