#pragma once
// Fake /proc and /sys, as files in a temporary folder.

#include <string>

#include "gpubench/core/io/files.h"
#include "support/temp_dir.h"

namespace gpubench::test {

class FakeMachine {
 public:
  /// Writes or replaces a file with one line.
  FakeMachine& with(const std::string& path, const std::string& line) {
    dir_.file(path.substr(1), line + "\n");
    return *this;
  }

  /// Replaces the file by a folder, which even root cannot read as a file.
  FakeMachine& with_unreadable(const std::string& path) {
    std::filesystem::remove(dir_.path() / path.substr(1));
    std::filesystem::create_directories(dir_.path() / path.substr(1));
    return *this;
  }

  HostFiles files() const { return HostFiles(dir_.path()); }

 private:
  TempDir dir_;
};

}  // namespace gpubench::test
