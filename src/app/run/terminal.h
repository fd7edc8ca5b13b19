#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "engine/execution/executor.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Counts SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE. Create it before any other thread. `unit` is the
/// part of the run that still finishes, for the message.
class InterruptWatch : public Interrupts {
 public:
  explicit InterruptWatch(const std::string& unit = "epoch");
  ~InterruptWatch() override;
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  int count() override;
  int wake_descriptor() const override { return wake_[0]; }

 private:
  void wait_for_signals();

  std::string message_;
  int wake_[2] = {-1, -1};
  std::atomic<int> count_ = 0;
  sigset_t watched_{};
  sigset_t before_{};
  std::thread watcher_;
};

/// Draws the progress of rows on stderr.
class ProgressLine : public Progress {
 public:
  ProgressLine(const Clock& clock, bool is_shown) : clock_(clock), is_shown_(is_shown) {}
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void row_started(const Result& planned, std::size_t index, std::size_t count) override;
  void steps_finished(std::int64_t count) override;
  void row_finished(const Result& record) override;

 private:
  const Clock& clock_;
  bool is_shown_;
  std::string title_;
  CaseRecord case_;  // As planned.
  std::int64_t steps_ = 0;
  Seconds started_;
};

/// Returns a callback that shows downloads on stderr if that is a terminal, unless quiet.
DownloadProgress download_progress(bool is_quiet);

}  // namespace gpubench
