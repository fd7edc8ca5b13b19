#include "app/command.h"
#include "app/command_line.h"
#include "gpubench/core/io/messages.h"

namespace gpubench::complete_plugin {
namespace {

/// Called by the scripts in scripts/completions with the words of an unfinished command line. Prints nothing
/// for names that need a LibTorch that is missing.
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
