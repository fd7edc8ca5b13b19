#pragma once
// One run of a side: a process that prints what it measured.

#include <optional>
#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"

namespace gpubench {

/// How a run ended.
struct ProcessEnd {
  std::string printed;  ///< To stdout.
  ChildEnd end;
  bool is_timeout = false;      ///< Ended for it.
  bool is_interrupted = false;  ///< Ended by the user, at the second interrupt.
};

/// Runs `words` and waits for the end, which comes at `timeout` at the latest. Throws an internal Error where
/// no process can be started.
ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts);

}  // namespace gpubench
