#pragma once

#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "engine/execution/executor.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Counts SIGINT, SIGTERM and SIGHUP and ignores SIGPIPE. Make it before any other thread. With
/// `ends_at_second` the second signal ends the process with exit code 130, for work that nothing else can
/// stop. `unit` is what the run finishes first, for the message.
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

/// Draws the progress of cases twice a second from its own thread, so that a thread that measures only stores
/// a number. Draws an operation's line before it is run: no thread disturbs that.
class ProgressLine : public Progress {
 public:
  ProgressLine(const Clock& clock, bool is_shown);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void row_started(const Result& planned, std::size_t index, std::size_t count) override;
  void steps_finished(std::int64_t count) override { steps_.fetch_add(count, std::memory_order_relaxed); }
  void row_finished(const Result& record) override;

 private:
  void paint_until_stopped();

  const Clock& clock_;
  bool is_shown_;
  std::atomic<std::int64_t> steps_ = 0;  // Of the case, over all epochs.

  std::mutex mutex_;  // Guards what follows.
  std::condition_variable stop_signal_;
  bool is_stopping_ = false;
  bool is_running_ = false;
  std::string title_;
  std::int64_t epochs_ = 0;
  std::int64_t steps_per_epoch_ = 0;
  std::int64_t samples_per_epoch_ = 0;
  Seconds started_;
  std::thread painter_;  // From the first case on.
};

/// Returns the text of the line after `elapsed`, with `steps` of `steps_per_epoch * epochs` done.
std::string progress_text(const std::string& title, std::int64_t steps, std::int64_t steps_per_epoch,
                          std::int64_t epochs, std::int64_t samples_per_epoch, Seconds elapsed);

/// Shows downloads on stderr if that is a terminal, unless quiet.
DownloadProgress download_progress(bool is_quiet);

}  // namespace gpubench
