#include "app/run/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

constexpr int kStopWatching = SIGUSR2;  // Sent by the destructor alone.

}  // namespace

InterruptWatch::InterruptWatch(bool ends_at_second, const std::string& unit)
    : ends_at_second_(ends_at_second),
      message_("\ngpubench: ending after this " + unit + "; once more to end at once\n") {
  if (pipe(wake_) != 0) throw Error(ErrorKind::kUsage, "no pipe is free for signals; end other programs");
  for (const int end : wake_) {
    fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(end, F_SETFL, O_NONBLOCK);
  }
  sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, kStopWatching}) sigaddset(&watched_, signal);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &pipe_before_);
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  watcher_ = std::thread([this] { wait_for_signals(); });
}

InterruptWatch::~InterruptWatch() {
  pthread_kill(watcher_.native_handle(), kStopWatching);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  sigaction(SIGPIPE, &pipe_before_, nullptr);
  for (const int end : wake_) close(end);
}

int InterruptWatch::count() {
  for (char byte = 0; read(wake_[0], &byte, 1) > 0;) continue;
  return count_.load();
}

void InterruptWatch::wait_for_signals() {
  for (int signal = 0; sigwait(&watched_, &signal) == 0 && signal != kStopWatching;) {
    const int count = ++count_;
    if (count == 1) draw_status(message_);
    // The store has all rows, and the document those up to the last finished case.
    if (count > 1 && ends_at_second_) std::_Exit(static_cast<int>(ExitCode::kInterrupted));
    if (write(wake_[1], "!", 1) < 0) continue;
  }
}

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

ProgressLine::ProgressLine(const Clock& clock, bool is_shown) : clock_(clock), is_shown_(is_shown) {}

ProgressLine::~ProgressLine() {
  if (painter_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    stop_signal_.notify_one();
    painter_.join();
  }
  if (is_shown_) draw_status(kClearLine);
}

void ProgressLine::row_started(const Result& planned, std::size_t index, std::size_t count) {
  if (!is_shown_) return;
  const std::string number = fmt::format("[{}/{}]", index + 1, count);
  if (const auto* const row = std::get_if<OpRecord>(&planned)) {
    draw_status(fmt::format("{}{} {} {} {} on {}", kClearLine, number, row->op, row->sizes,
                            to_string(row->type), row->device));
    return;
  }
  const auto& record = std::get<CaseRecord>(planned);
  const std::lock_guard lock(mutex_);
  title_ = fmt::format("{} {} {} batch {}", number, record.model, record.device, record.batch_size);
  epochs_ = record.epochs;
  steps_per_epoch_ = record.steps_per_epoch;
  samples_per_epoch_ = record.train_samples;
  started_ = clock_.now();
  steps_ = 0;
  is_running_ = true;
  if (!painter_.joinable()) painter_ = std::thread([this] { paint_until_stopped(); });
}

void ProgressLine::row_finished(const Result&) {
  const std::lock_guard lock(mutex_);
  is_running_ = false;
  if (is_shown_) draw_status(kClearLine);
}

void ProgressLine::paint_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stop_signal_.wait_for(lock, std::chrono::milliseconds(500), [this] { return is_stopping_; })) {
    if (is_running_)
      draw_status(kClearLine + progress_text(title_, steps_, steps_per_epoch_, epochs_, samples_per_epoch_,
                                             clock_.now() - started_));
  }
}

DownloadProgress download_progress(bool is_quiet) {
  if (!shows_progress(is_quiet)) return [](const std::string&, Bytes, Bytes) {};
  return [](const std::string& file, Bytes done, Bytes total) {
    constexpr double kMegabyte = 1e6;
    const bool is_done = done == total;
    draw_status(fmt::format("\rdownloading {}: {:.1f} of {:.1f} MB{}", file,
                            static_cast<double>(done.value) / kMegabyte,
                            static_cast<double>(total.value) / kMegabyte, is_done ? "\n" : ""));
  };
}

}  // namespace gpubench
