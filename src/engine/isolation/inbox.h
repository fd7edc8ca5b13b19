#pragma once
// The lines that come to a worker on its standard input, read by a thread of its own, so that a message
// arrives while a case runs.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/isolation/messages.h"

namespace gpubench {

/// Starts reading when it is made. next() and the rest belong to one thread.
class Inbox {
 public:
  Inbox() : reader_([this] { read_until_end(); }) {}
  ~Inbox() { reader_.join(); }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Waits for the next request that is no StopMessage; nothing at the end of the input. Until the following
  /// call the worker counts as busy, and an end of the input ends the process.
  std::optional<std::string> next();

  /// What the last StopMessage asked for. Cheap: an atomic.
  StopRequest stop_request() const { return stop_.load(std::memory_order_relaxed); }

 private:
  void read_until_end();
  void take(const std::string& line);

  std::atomic<StopRequest> stop_ = StopRequest::kNone;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool is_ended_ = false;
  bool is_busy_ = false;
  std::thread reader_;
};

}  // namespace gpubench
