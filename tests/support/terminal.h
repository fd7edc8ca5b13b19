#pragma once
// A pseudo-terminal whose controlling end belongs to the test.

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>

#include "gpubench/core/io/files.h"

namespace gpubench::test {

class Terminal {
 public:
  Terminal() : other_end_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    // Close-on-exec, because an inherited descriptor would keep the terminal open.
    const bool is_ready = other_end_.is_open() && fcntl(other_end_.get(), F_SETFD, FD_CLOEXEC) == 0 &&
                          grantpt(other_end_.get()) == 0 && unlockpt(other_end_.get()) == 0;
    if (!is_ready) throw std::runtime_error("cannot make a terminal");
  }
  std::string name() const { return ptsname(other_end_.get()); }
  /// Returns all output so far.
  const std::string& text() {
    std::array<char, 4096> chunk{};
    const ssize_t count = read(other_end_.get(), chunk.data(), chunk.size());
    if (count > 0) text_.append(chunk.data(), static_cast<std::size_t>(count));
    return text_;
  }
  void close() { other_end_.reset(); }

 private:
  FileDescriptor other_end_;
  std::string text_;
};

}  // namespace gpubench::test
