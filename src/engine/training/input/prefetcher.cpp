#include "engine/training/input/prefetcher.h"

#include <utility>

#include "gpubench/core/error.h"

namespace gpubench {

Prefetcher::Prefetcher(std::int64_t batches, std::size_t buffers, Fill fill)
    : batches_(batches), buffers_(static_cast<std::int64_t>(buffers)), fill_(std::move(fill)) {
  thread_ = std::thread([this] { run(); });
}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Prefetcher::is_ready_within(std::chrono::microseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return is_ready(); });
}

std::size_t Prefetcher::take() {
  std::unique_lock lock(mutex_);
  if (taken_ == batches_) throw Error(ErrorKind::kInternal, "all batches of the epoch were taken already");
  if (taken_ - released_ == buffers_) throw Error(ErrorKind::kInternal, "no buffer was given back");
  changed_.wait(lock, [this] { return is_ready(); });
  if (filled_ == taken_) std::rethrow_exception(failure_);
  return static_cast<std::size_t>(taken_++ % buffers_);
}

void Prefetcher::release() {
  const std::lock_guard lock(mutex_);
  if (released_ == taken_) throw Error(ErrorKind::kInternal, "a buffer was given back twice");
  ++released_;
  changed_.notify_all();
}

void Prefetcher::run() {
  std::unique_lock lock(mutex_);
  try {
    while (true) {
      changed_.wait(lock, [this] { return is_stopping_ || filled_ - released_ < buffers_; });
      if (is_stopping_ || filled_ == batches_) return;
      lock.unlock();
      // No other thread writes filled_, so it may be read without the lock.
      fill_(static_cast<std::size_t>(filled_ % buffers_), filled_);
      lock.lock();
      ++filled_;
      changed_.notify_all();
    }
  } catch (...) {
    lock.lock();
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

}  // namespace gpubench
