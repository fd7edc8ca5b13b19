#include "app/ab/side_process.h"

#include <unistd.h>

#include "gpubench/core/deadline.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostPrinted = std::size_t{64} << 20;

}  // namespace

ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts) {
  const Deadline deadline = timeout ? Deadline(*timeout) : Deadline();
  ChildProcess child(executed_workers(words), {}, deadline, STDOUT_FILENO);
  ProcessEnd run;
  bool is_open = true;
  while (is_open && !run.is_timeout && !run.is_interrupted) {
    is_open = child.read(deadline.left(), {interrupts.wake_descriptor()});
    run.printed += child.take_replies();
    run.is_timeout = is_open && deadline.is_over();
    run.is_interrupted = is_open && interrupts.count() > 1;
    if (run.printed.size() > kMostPrinted) is_open = false;
  }
  if (is_open || run.printed.size() > kMostPrinted) child.kill();
  run.end = child.wait();
  return run;
}

}  // namespace gpubench
