#include "app/run/interrupt_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

constexpr int kStopWatching = SIGUSR2;  // Sent by the destructor alone.

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, kStopWatching}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

InterruptWatch::InterruptWatch(bool ends_at_second, const std::string& unit)
    : ends_at_second_(ends_at_second),
      message_("\ngpubench: ending after this " + unit + "; once more to end at once\n"),
      watched_(watched_signals()) {
  if (pipe(wake_) != 0) throw Error(ErrorKind::kUsage, "no pipe is free for signals; end other programs");
  for (const int end : wake_) {
    fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(end, F_SETFL, O_NONBLOCK);
  }
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
    // What was journalled is on the disk, and the document of the last finished case as well.
    if (count > 1 && ends_at_second_) std::_Exit(static_cast<int>(ExitCode::kInterrupted));
    if (write(wake_[1], "!", 1) < 0) continue;
  }
}

}  // namespace gpubench
