#pragma once
// The child's side of isolation: `gpubench worker` reads requests and answers them. No LibTorch of its own.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/api/engine.h"
#include "engine/isolation/messages.h"

namespace gpubench {

/// Reads standard input on a thread of its own. next() belongs to one thread.
class Inbox {
 public:
  Inbox() : reader_([this] { read_until_end(); }) {}
  ~Inbox() { reader_.join(); }

  /// Waits for a request other than StopMessage; nothing at the end of input, which ends a busy process.
  std::optional<std::string> next();

  /// Returns the last StopMessage's request. Cheap: an atomic.
  StopRequest stop_request() const { return stop_.load(std::memory_order_relaxed); }

 private:
  void read_until_end();
  void take(std::string line);

  std::atomic<StopRequest> stop_ = StopRequest::kNone;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool is_ended_ = false;
  bool is_busy_ = false;
  std::thread reader_;
};

/// Answers requests until the input ends; if that happens during a case, the process exits at once.
/// `load_engine` runs at the first request; `loaded_in` is its time in the process that was copied.
void serve(const std::function<const Engine&()>& load_engine, Seconds loaded_in = {});

}  // namespace gpubench
