#include "app/command.h"
#include "app/command_line.h"
#include "gpubench/core/io/messages.h"

namespace gpubench::complete_plugin {
namespace {

/// Completes an unfinished command line for scripts/completions. Prints nothing if the names need LibTorch
/// and it is missing.
ExitCode complete(const std::vector<std::string>& words) {
  try {
    for (const std::string& candidate : completions(words)) print(candidate + "\n");
  } catch (const Error&) {
  }
  return ExitCode::kOk;
}

}  // namespace

CommandEntry entry_complete() {
  return {"complete", "Print the candidates for the last word", nullptr, complete};
}

}  // namespace gpubench::complete_plugin
