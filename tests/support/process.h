#pragma once
// Runs a program and keeps what it prints.

#include <map>
#include <string>
#include <vector>

namespace gpubench::test {

struct ProcessResult {
  int exit_code = -1;  ///< Minus the signal's number where one ended it.
  std::string out;
  std::string err;
};

/// Runs `program` with `arguments` in `folder` and waits for it. `environment` is set on top of this
/// process's own; an empty value removes the variable. No standard input. Throws std::runtime_error where the
/// program cannot be started.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& folder, const std::map<std::string, std::string>& environment);

}  // namespace gpubench::test
