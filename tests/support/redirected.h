#pragma once
// Redirection of this process's output.

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "gpubench/core/io/files.h"
#include "support/catch.h"

namespace gpubench::test {

/// Redirects a descriptor, such as STDERR_FILENO, to a file while it exists.
class Redirected {
 public:
  Redirected(int descriptor, const std::filesystem::path& path, int flags = O_WRONLY | O_CREAT | O_APPEND)
      : descriptor_(descriptor), before_(dup(descriptor)) {
    const FileDescriptor file(open(path.c_str(), flags | O_CLOEXEC, 0600));
    REQUIRE(dup2(file.get(), descriptor) == descriptor);
  }
  ~Redirected() { dup2(before_.get(), descriptor_); }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int descriptor_;
  FileDescriptor before_;
};

}  // namespace gpubench::test
