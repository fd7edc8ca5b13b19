#include "app/run/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/row_identity.h"
#include "pages/run_page.h"

namespace gpubench {
namespace {

constexpr int kStopWatching = SIGUSR2;  // Sent only by the destructor.

/// Returns "[3/20] mlp cpu batch 128, bf16" or "[3/20] matmul 64x64 64x64 fp32 on cpu".
std::string row_title(const Result& row, std::size_t index, std::size_t count) {
  const std::string number = fmt::format("[{}/{}]", index + 1, count);
  if (const auto* const op = std::get_if<OpRecord>(&row))
    return fmt::format("{} {} {} {} on {}", number, op->op, op->sizes, to_string(op->type), op->device);
  const CaseRecord& c = std::get<CaseRecord>(row);
  const std::string mode = mode_text(c.mode);
  return fmt::format("{} {} {} batch {}{}", number, c.model, c.device, c.batch_size,
                     mode.empty() ? "" : ", " + mode);
}

class InterruptWatch : public Interrupts {
 public:
  explicit InterruptWatch(const std::string& unit)
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

  ~InterruptWatch() override {
    pthread_kill(watcher_.native_handle(), kStopWatching);
    watcher_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    for (const int end : wake_) close(end);
  }

  int count() override {
    for (char byte = 0; read(wake_[0], &byte, 1) > 0;) continue;
    return count_.load();
  }

  int wake_descriptor() const override { return wake_[0]; }

 private:
  void wait_for_signals() {
    for (int signal = 0; sigwait(&watched_, &signal) == 0 && signal != kStopWatching;) {
      if (++count_ == 1) draw_status(message_);
      if (write(wake_[1], "!", 1) < 0) continue;
    }
  }

  std::string message_;
  int wake_[2] = {-1, -1};
  std::atomic<int> count_ = 0;
  sigset_t watched_{};
  sigset_t before_{};
  std::thread watcher_;
};

class ProgressLine : public Progress {
 public:
  explicit ProgressLine(const Clock& clock) : clock_(clock) {}
  ~ProgressLine() override { draw_status(kClearLine); }

  void row_started(const Result& planned, std::size_t index, std::size_t count) override {
    title_ = kClearLine + row_title(planned, index, count);
    const auto* const planned_case = std::get_if<CaseRecord>(&planned);
    if (planned_case == nullptr) return draw_status(title_);
    case_ = *planned_case;
    started_ = clock_.now();
    steps_ = 0;
  }

  void steps_finished(std::int64_t count) override {
    steps_ += count;
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

  void row_finished(const Result& /*row*/) override { draw_status(kClearLine); }

 private:
  const Clock& clock_;
  std::string title_;
  CaseRecord case_;  // As planned.
  std::int64_t steps_ = 0;
  Seconds started_;
};

class ProgressLog : public Progress {
 public:
  explicit ProgressLog(const Clock& clock) : clock_(clock) {}

  void rows_planned(const std::vector<const Result*>& rows) override {
    upcoming_.clear();
    for (const Result* row : rows) {
      if (const auto* planned = std::get_if<CaseRecord>(row)) upcoming_.push_back(make_identity(*planned));
    }
  }

  void row_started(const Result&, std::size_t index, std::size_t count) override {
    index_ = index;
    count_ = count;
    started_ = clock_.now();
  }

  void row_finished(const Result& record) override {
    constexpr std::size_t kMostLines = 10;
    std::string text = row_title(record, index_, count_);
    if (const auto* const row = std::get_if<CaseRecord>(&record)) {
      text += describe(*row);
    } else {
      if ((index_ + 1) * kMostLines / count_ == index_ * kMostLines / count_) return;
      text += ": " + to_string(get_row(record).status);
    }
    draw_status(plain_text(text) + "\n");
  }

 private:
  /// Returns ", repeat 2: ok, 4,529 images/s, 193 ms per epoch; 2 min 05 s left".
  std::string describe(const CaseRecord& row) {
    const RowIdentity identity = make_identity(row);
    durations_[identity] = clock_.now() - started_;
    if (!upcoming_.empty() && upcoming_.front() == identity) upcoming_.pop_front();
    std::string text = row.repeat > 1 ? fmt::format(", repeat {}", row.repeat) : "";
    text += ": " + to_string(row.status);
    const Measured<Summary> epochs = epoch_summary(row);
    if (row.status != RowStatus::kOk)
      text += ": " + row.status_reason;
    else if (epochs.has_value())
      text += ", " + speed_text(row, epochs.value().median);
    const std::optional<Seconds> left = remaining_time();
    return left ? text + "; " + duration_text(*left) + " left" : text;
  }

  /// Returns nullopt if no case remains, or one has not run before.
  std::optional<Seconds> remaining_time() const {
    if (upcoming_.empty()) return std::nullopt;
    Seconds sum{0};
    for (const RowIdentity& identity : upcoming_) {
      const auto known = durations_.find(identity);
      if (known == durations_.end()) return std::nullopt;
      sum = sum + known->second;
    }
    return sum;
  }

  const Clock& clock_;
  std::deque<RowIdentity> upcoming_;          // Cases, the current one first.
  std::map<RowIdentity, Seconds> durations_;  // By case: its latest repeat.
  std::size_t index_ = 0;
  std::size_t count_ = 0;
  Seconds started_;
};

}  // namespace

std::unique_ptr<Interrupts> watch_interrupts(const std::string& unit) {
  return std::make_unique<InterruptWatch>(unit);
}

std::unique_ptr<Progress> make_progress_line(const Clock& clock) {
  return std::make_unique<ProgressLine>(clock);
}

std::unique_ptr<Progress> make_progress_log(const Clock& clock) {
  return std::make_unique<ProgressLog>(clock);
}

std::string render_for_stdout(Page page, const ReportFormat& format, bool is_quiet) {
  page.width = output_width();
  page.shows_notes = !is_quiet;
  return format.render(page);
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
