#pragma once
// Another place for what this process prints.

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "gpubench/core/io/files.h"
#include "support/catch.h"

namespace gpubench::test {

/// Leads a descriptor, such as STDERR_FILENO, into a file until the end of its life.
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
