#pragma once
// Worker side of isolation: `gpubench worker` reads and answers requests. Not linked with LibTorch.

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

/// Reads standard input on its own thread. next() must be called by one thread only.
class Inbox {
 public:
  Inbox() : reader_([this] { read_until_end(); }) {}
  ~Inbox() { reader_.join(); }

  /// Waits for a request other than StopMessage. Returns nullopt at the end of input.
  std::optional<std::string> next();

  /// Returns the request of the last StopMessage. Cheap: reads an atomic.
  StopRequest stop_request() const { return stop_.load(std::memory_order_relaxed); }

 private:
  void read_until_end();
  void take(std::string line);

  std::atomic<StopRequest> stop_ = StopRequest::kNone;
  std::mutex mutex_;  // Guards the members below, except reader_.
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool is_ended_ = false;
  bool is_busy_ = false;
  std::thread reader_;
};

/// Answers requests until the input ends. If it ends during a request, the process exits at once.
/// `load_engine` runs at the first request; `loaded_in` is the time that it took in the forked process.
void serve(const std::function<const Engine&()>& load_engine, Seconds loaded_in = {});

}  // namespace gpubench
