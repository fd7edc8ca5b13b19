#include "engine/isolation/inbox.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace gpubench {

std::optional<std::string> Inbox::next() {
  std::unique_lock lock(mutex_);
  is_busy_ = false;
  changed_.wait(lock, [this] { return is_ended_ || !lines_.empty(); });
  if (lines_.empty()) return std::nullopt;
  is_busy_ = true;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

void Inbox::read_until_end() {
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t count = 1; count != 0;) {
    count = read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      take(text.substr(0, end));
    }
  }
  const std::lock_guard lock(mutex_);
  // Nobody is left to take the result, and the training thread cannot be stopped from here otherwise.
  if (is_busy_) std::_Exit(static_cast<int>(ExitCode::kInternal));
  is_ended_ = true;
  changed_.notify_one();
}

void Inbox::take(const std::string& line) {
  if (line.find("\"stop\"") != std::string::npos) {
    const Request request = request_from(line);
    if (const auto* message = std::get_if<StopMessage>(&request)) {
      stop_.store(message->why, std::memory_order_relaxed);
      return;
    }
  }
  const std::lock_guard lock(mutex_);
  lines_.push_back(line);
  changed_.notify_one();
}

}  // namespace gpubench
