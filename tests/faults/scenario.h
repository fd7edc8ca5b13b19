#pragma once
// Commands that run with injected faults, and the checks afterwards.

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

/// The end of a gpubench process.
struct Ending {
  ProcessResult result;
  bool is_hung = false;  ///< The process exceeded its time limit and was killed.
};

/// A command under test.
struct Scenario {
  std::string name;
  Words words;
  std::string result = {};  ///< File that the command writes.
  bool is_run = false;      ///< A run, which is in the store and can be resumed.
  bool is_long = false;     ///< Takes seconds, so it runs on request only.
  Environment environment = {};
};

/// Returns the scenario of that name, or all that are not long if the name is empty.
std::vector<Scenario> scenarios_named(const std::string& name);

/// The initial files of scenarios, complete and interrupted runs, and the output of scenarios without faults.
class Workshop {
 public:
  explicit Workshop(const std::vector<Scenario>& scenarios);

  /// Runs the scenario in a fresh folder, with the fault that the variables `more` define. Returns the failed
  /// checks, one per line.
  std::vector<std::string> check(const Scenario& scenario, const Environment& more) const;

  /// Runs the scenario without faults.
  ProcessResult undisturbed(const Scenario& scenario, const Environment& more) const;

 private:
  TempDir start_;  // Initial files, copied for each scenario.
  std::map<std::string, std::string> printed_;
};

}  // namespace gpubench::test
