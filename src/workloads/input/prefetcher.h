#pragma once
// Fills buffers in the background. Independent of LibTorch, for the thread sanitizer.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace gpubench {

/// Ring of buffers that a background thread fills in order. Not thread-safe: for one consumer thread.
class Prefetcher {
 public:
  /// Writes batch `batch` to buffer `buffer`. Called in the background thread, in order; may throw.
  using Fill = std::function<void(std::size_t buffer, std::int64_t batch)>;

  Prefetcher(std::int64_t batches, std::size_t buffers, Fill fill)
      : batches_(batches), buffers_(static_cast<std::int64_t>(buffers)), fill_(std::move(fill)) {
    thread_ = std::thread([this] { run(); });
  }

  ~Prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Waits at most `limit` and returns whether take() would not block.
  bool is_ready_within(std::chrono::microseconds limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return is_ready(); });
  }

  /// Waits for the buffer of the next batch, which is valid until release(). Rethrows exceptions of `fill`.
  std::size_t take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_ready(); });
    if (filled_ == taken_) std::rethrow_exception(failure_);
    return static_cast<std::size_t>(taken_++ % buffers_);
  }

  /// Releases the oldest taken buffer.
  void release() {
    const std::lock_guard lock(mutex_);
    ++released_;
    changed_.notify_all();
  }

 private:
  bool is_ready() const { return filled_ > taken_ || failure_; }

  void run() {
    std::unique_lock lock(mutex_);
    while (filled_ < batches_ && !failure_) {
      changed_.wait(lock, [this] { return is_stopping_ || filled_ - released_ < buffers_; });
      if (is_stopping_) return;
      lock.unlock();
      std::exception_ptr failure;
      try {
        // Reads filled_ without the lock, since only this thread writes it.
        fill_(static_cast<std::size_t>(filled_ % buffers_), filled_);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failure_ = failure;
      if (!failure) ++filled_;
      changed_.notify_all();
    }
  }

  const std::int64_t batches_;
  const std::int64_t buffers_;
  const Fill fill_;
  std::mutex mutex_;  // Guards the members below, except the thread.
  std::condition_variable changed_;
  std::int64_t filled_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t released_ = 0;
  std::exception_ptr failure_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace gpubench
