#include "app/run/progress_line.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {

std::string progress_text(const std::string& title, std::int64_t steps, std::int64_t steps_per_epoch,
                          std::int64_t epochs, std::int64_t samples_per_epoch, Seconds elapsed) {
  const std::int64_t epoch = std::min(steps / std::max<std::int64_t>(1, steps_per_epoch) + 1, epochs);
  std::string text = fmt::format("{}: epoch {}/{}", title, epoch, epochs);
  if (steps == 0 || elapsed.value <= 0) return text;
  const double done = static_cast<double>(steps) / static_cast<double>(steps_per_epoch * epochs);
  const double samples = done * static_cast<double>(samples_per_epoch * epochs);
  return text + fmt::format(", {:.0f} samples/s, {} left", samples / elapsed.value,
                            duration_text(Seconds{elapsed.value * (1 - done) / done}));
}

ProgressLine::ProgressLine(const Clock& clock, bool is_shown) : clock_(clock) {
  if (is_shown) painter_ = std::thread([this] { paint_until_stopped(); });
}

ProgressLine::~ProgressLine() {
  if (!painter_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stop_signal_.notify_one();
  painter_.join();
  draw_status(kClearLine);
}

void ProgressLine::row_started(const CaseRecord& record, std::size_t index, std::size_t count) {
  const std::lock_guard lock(mutex_);
  title_ =
      fmt::format("[{}/{}] {} {} batch {}", index + 1, count, record.model, record.device, record.batch_size);
  epochs_ = record.epochs;
  steps_per_epoch_ = record.steps_per_epoch;
  samples_per_epoch_ = record.train_samples;
  started_ = clock_.now();
  steps_ = 0;
  is_running_ = true;
}

void ProgressLine::row_finished(const CaseRecord&) {
  const std::lock_guard lock(mutex_);
  is_running_ = false;
}

void ProgressLine::paint_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stop_signal_.wait_for(lock, std::chrono::milliseconds(500), [this] { return is_stopping_; })) {
    if (is_running_) draw_status(kClearLine + line());
  }
}

std::string ProgressLine::line() const {
  return progress_text(title_, steps_, steps_per_epoch_, epochs_, samples_per_epoch_,
                       clock_.now() - started_);
}

}  // namespace gpubench
