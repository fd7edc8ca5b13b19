#pragma once
// The progress of a run: one line on stderr that is redrawn.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "engine/execution/executor.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// Draws epoch, speed and remaining time twice a second from its own thread, so that a thread that measures
/// only stores a number. Unless shown there is no thread.
class ProgressLine : public Progress<CaseRecord> {
 public:
  ProgressLine(const Clock& clock, bool is_shown);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void row_started(const CaseRecord& record, std::size_t index, std::size_t count) override;
  void steps_finished(std::int64_t count) override { steps_.fetch_add(count, std::memory_order_relaxed); }
  void row_finished(const CaseRecord& record) override;

 private:
  void paint_until_stopped();
  std::string line() const;

  const Clock& clock_;
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
  std::thread painter_;
};

/// Returns the text of the line: title, epoch, speed and time left. `steps` of `steps_per_epoch * epochs` are
/// done after `elapsed`.
std::string progress_text(const std::string& title, std::int64_t steps, std::int64_t steps_per_epoch,
                          std::int64_t epochs, std::int64_t samples_per_epoch, Seconds elapsed);

}  // namespace gpubench
