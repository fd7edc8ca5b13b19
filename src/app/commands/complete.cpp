#include "app/command.h"
#include "app/command_line.h"
#include "gpubench/core/io/messages.h"

namespace gpubench::complete_plugin {
namespace {

/// Called by the scripts in scripts/completions with the words of an unfinished command line. What would have
/// to be told of names that only LibTorch knows is no candidate.
ExitCode complete(const std::vector<std::string>& words) {
  try {
    for (const std::string& candidate : completions(words)) print(candidate + "\n");
  } catch (const Error&) {
  }
  return ExitCode::kOk;
}

}  // namespace

CommandEntry entry_complete() {
  return {"complete", "What the last word could become", CommandKind::kInternal, nullptr, complete};
}

}  // namespace gpubench::complete_plugin
