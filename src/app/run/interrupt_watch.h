#pragma once
// Ctrl-C and its relatives, turned into a number that can be asked for.

#include <signal.h>

#include <atomic>
#include <string>
#include <thread>

#include "engine/execution/executor.h"

namespace gpubench {

/// Counts SIGINT, SIGTERM and SIGHUP, which do not end the process while it lives, and ignores SIGPIPE. Make
/// it before any other thread. With `ends_at_second` the second signal ends the process at once with exit
/// code 130, for work in this process that nothing else can stop. `unit` is what the run finishes first, for
/// the message.
class InterruptWatch : public Interrupts {
 public:
  explicit InterruptWatch(bool ends_at_second, const std::string& unit = "epoch");
  ~InterruptWatch() override;
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  int count() override;
  int wake_descriptor() const override { return wake_[0]; }

 private:
  void wait_for_signals();

  bool ends_at_second_;
  std::string message_;
  int wake_[2] = {-1, -1};
  std::atomic<int> count_ = 0;
  sigset_t watched_{};
  sigset_t before_{};
  struct sigaction pipe_before_ {};
  std::thread watcher_;
};

}  // namespace gpubench
