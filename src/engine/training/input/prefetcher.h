#pragma once
// Fills buffers in the background while the ones before are used.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gpubench {

/// A ring of buffers that a background thread fills in order. Used by one thread.
class Prefetcher {
 public:
  /// Writes batch `batch` to buffer `buffer`. Called in the background thread, in order; may throw.
  using Fill = std::function<void(std::size_t buffer, std::int64_t batch)>;

  Prefetcher(std::int64_t batches, std::size_t buffers, Fill fill);

  ~Prefetcher();

  /// Waits at most `limit` and returns whether take() would return, or throw, at once.
  bool is_ready_within(std::chrono::microseconds limit);

  /// Returns the next buffer, held until release(). Throws what `fill` threw, or an internal Error.
  std::size_t take();

  /// Gives back the buffer that was taken longest ago.
  void release();

 private:
  void run();
  bool is_ready() const { return filled_ > taken_ || failure_ || taken_ == batches_; }

  const std::int64_t batches_;
  const std::int64_t buffers_;
  const Fill fill_;
  std::mutex mutex_;  // Guards all below but the thread.
  std::condition_variable changed_;
  std::int64_t filled_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t released_ = 0;
  std::exception_ptr failure_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace gpubench
