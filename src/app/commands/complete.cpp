#include "app/command_line.h"
#include "app/commands/entries.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

/// Called by the scripts in scripts/completions with the words of an unfinished command line.
ExitCode complete(const std::vector<std::string>& words) {
  for (const std::string& candidate : completions(words)) print_out(candidate + "\n");
  return ExitCode::kOk;
}

}  // namespace

CommandEntry entry_complete() {
  return {"complete", "What the last word could become", CommandKind::kInternal, nullptr, complete};
}

}  // namespace gpubench
