#include "app/ab/side_process.h"

#include <unistd.h>

#include "gpubench/core/clock.h"
#include "record/document/document_file.h"

namespace gpubench {

ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts) {
  constexpr Seconds kNoLimit{1e9};
  const SteadyClock clock;
  ChildProcess child(executed_workers(words), {}, STDOUT_FILENO);
  const Seconds deadline = clock.now() + timeout.value_or(kNoLimit);
  ProcessEnd run;
  bool is_open = true;
  while (is_open && !run.is_timeout && !run.is_interrupted) {
    is_open = child.read(deadline - clock.now(), interrupts.wake_descriptor());
    run.printed += child.take_replies();
    run.is_timeout = is_open && clock.now() > deadline;
    run.is_interrupted = is_open && interrupts.count() > 1;
    if (run.printed.size() > kLargestDocument) is_open = false;
  }
  if (is_open || run.printed.size() > kLargestDocument) child.kill();
  run.end = child.wait();
  return run;
}

}  // namespace gpubench
