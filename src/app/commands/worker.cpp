#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/command.h"
#include "app/run/engine_loader.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/worker.h"
#include "gpubench/core/clock.h"

namespace gpubench::worker_plugin {
namespace {

/// Runs the cases of a supervisor: reads requests from stdin, writes replies to kReplyDescriptor.
ExitCode work(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  Seconds loaded_in;
  const auto timed_load = [&] {
    const Seconds start = SteadyClock().now();
    load_engine();
    loaded_in = SteadyClock().now() - start;
  };
  if (has("--fork-server") && !serve_forks(timed_load, STDIN_FILENO)) return ExitCode::kOk;
  serve(load_engine, loaded_in);
  // Skips the destructors of LibTorch's static objects, which take 0.1 s for nothing.
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitCode::kOk));
}

}  // namespace

CommandEntry entry_worker() { return {"worker", "Run the cases that a supervisor sends", nullptr, work}; }

}  // namespace gpubench::worker_plugin
