#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "engine/execution/executor.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/record/row_identity.h"
#include "gpubench/report_writer.h"

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

/// Draws the progress of rows on stderr, which is a terminal.
class ProgressLine : public Progress {
 public:
  explicit ProgressLine(const Clock& clock) : clock_(clock) {}
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void row_started(const Result& planned, std::size_t index, std::size_t count) override;
  void steps_finished(std::int64_t count) override;
  void row_finished(const Result& record) override;

 private:
  const Clock& clock_;
  std::string title_;
  CaseRecord case_;  // As planned.
  std::int64_t steps_ = 0;
  Seconds started_;
};

/// Prints a line per finished case on stderr, for logs; of operations only one per tenth of the rows. Adds
/// the remaining time once all remaining cases have run before.
class ProgressLog : public Progress {
 public:
  explicit ProgressLog(const Clock& clock) : clock_(clock) {}

  void rows_planned(const std::vector<const Result*>& rows) override;
  void row_started(const Result& planned, std::size_t index, std::size_t count) override;
  void row_finished(const Result& record) override;

 private:
  std::string describe(const CaseRecord& row);
  std::optional<Seconds> remaining_time() const;

  const Clock& clock_;
  std::deque<RowIdentity> upcoming_;          // Cases, the current one first.
  std::map<RowIdentity, Seconds> durations_;  // By case: its latest repeat.
  std::size_t index_ = 0;
  std::size_t count_ = 0;
  Seconds started_;
};

/// Returns a line for a terminal, a log otherwise, or nothing if quiet.
std::unique_ptr<Progress> make_progress(const Clock& clock, bool is_quiet);

/// Renders the page in the width of stdout. `is_quiet` omits the notes below tables.
std::string render_for_stdout(Page page, const ReportFormat& format, bool is_quiet = false);

/// Returns a callback that shows downloads on stderr if that is a terminal, unless quiet.
DownloadProgress download_progress(bool is_quiet);

}  // namespace gpubench
