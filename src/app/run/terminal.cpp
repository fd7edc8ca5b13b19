#include "app/run/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

constexpr int kStopWatching = SIGUSR2;  // Sent only by the destructor.

}  // namespace

InterruptWatch::InterruptWatch(const std::string& unit)
    : message_("\ngpubench: stopping after this " + unit + "; interrupt again to stop at once\n") {
  if (pipe(wake_) != 0) throw Error(ErrorKind::kUsage, "signals: cannot open a pipe; close other programs");
  for (const int end : wake_) {
    fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(end, F_SETFL, O_NONBLOCK);
  }
  sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, kStopWatching}) sigaddset(&watched_, signal);
  signal(SIGPIPE, SIG_IGN);
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  watcher_ = std::thread([this] { wait_for_signals(); });
}

InterruptWatch::~InterruptWatch() {
  pthread_kill(watcher_.native_handle(), kStopWatching);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  for (const int end : wake_) close(end);
}

int InterruptWatch::count() {
  for (char byte = 0; read(wake_[0], &byte, 1) > 0;) continue;
  return count_.load();
}

void InterruptWatch::wait_for_signals() {
  for (int signal = 0; sigwait(&watched_, &signal) == 0 && signal != kStopWatching;) {
    if (++count_ == 1) draw_status(message_);
    if (write(wake_[1], "!", 1) < 0) continue;
  }
}

ProgressLine::~ProgressLine() {
  if (is_shown_) draw_status(kClearLine);
}

void ProgressLine::row_started(const Result& planned, std::size_t index, std::size_t count) {
  if (!is_shown_) return;
  const std::string number = fmt::format("{}[{}/{}]", kClearLine, index + 1, count);
  if (const auto* const row = std::get_if<OpRecord>(&planned)) {
    draw_status(
        fmt::format("{} {} {} {} on {}", number, row->op, row->sizes, to_string(row->type), row->device));
    return;
  }
  case_ = std::get<CaseRecord>(planned);
  title_ = fmt::format("{} {} {} batch {}", number, case_.model, case_.device, case_.batch_size);
  started_ = clock_.now();
  steps_ = 0;
}

void ProgressLine::steps_finished(std::int64_t count) {
  steps_ += count;
  if (!is_shown_) return;
  const std::int64_t epoch = steps_ / std::max<std::int64_t>(1, case_.steps_per_epoch) + 1;
  std::string text = fmt::format("{}: epoch {}/{}", title_, std::min(epoch, case_.epochs), case_.epochs);
  if (const double elapsed = (clock_.now() - started_).value; steps_ > 0 && elapsed > 0) {
    const double done =
        static_cast<double>(steps_) / static_cast<double>(case_.steps_per_epoch * case_.epochs);
    const double samples = done * static_cast<double>(case_.train_samples * case_.epochs);
    text += fmt::format(", {:.0f} samples/s, {} left", samples / elapsed,
                        duration_text(Seconds{elapsed * (1 - done) / done}));
  }
  draw_status(text);
}

void ProgressLine::row_finished(const Result&) {
  if (is_shown_) draw_status(kClearLine);
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
