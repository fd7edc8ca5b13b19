#include <unistd.h>

#include <algorithm>

#include "app/commands.h"
#include "app/engine_loader.h"
#include "gpubench/core/clock.h"
#include "gpubench/engine/worker.h"

namespace gpubench {
namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

ExitCode run_worker(const std::vector<std::string>& words) {
  const Allocator allocator = contains(words, "system") ? Allocator::kSystem : Allocator::kTuned;
  const auto load = [allocator]() -> const Engine& { return load_engine(allocator); };
  if (contains(words, "--fork-server") && !serve_forks(load, STDIN_FILENO)) return ExitCode::kOk;
  const SteadyClock clock;
  serve({load, datasets(), clock}, STDIN_FILENO, kReplyDescriptor);
  return ExitCode::kOk;
}

}  // namespace gpubench
