#include <unistd.h>

#include "app/commands.h"
#include "app/engine_loader.h"
#include "gpubench/core/clock.h"
#include "gpubench/engine/worker.h"

namespace gpubench {

ExitCode run_worker() {
  constexpr int kReplies = 3;
  const SteadyClock clock;
  serve({load_engine, datasets(), clock}, STDIN_FILENO, kReplies);
  return ExitCode::kOk;
}

}  // namespace gpubench
