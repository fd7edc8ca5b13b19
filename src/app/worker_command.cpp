#include <unistd.h>

#include "app/commands.h"
#include "app/engine_loader.h"
#include "gpubench/core/clock.h"
#include "gpubench/engine/worker.h"

namespace gpubench {

ExitCode run_worker(const std::vector<std::string>& words) {
  constexpr int kReplies = 3;
  const SteadyClock clock;
  const bool is_system = words == std::vector<std::string>{"--allocator", "system"};
  const Allocator allocator = is_system ? Allocator::kSystem : Allocator::kTuned;
  const auto load = [allocator]() -> const Engine& { return load_engine(allocator); };
  serve({load, datasets(), clock}, STDIN_FILENO, kReplies);
  return ExitCode::kOk;
}

}  // namespace gpubench
