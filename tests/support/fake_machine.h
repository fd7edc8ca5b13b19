#pragma once
// A machine that consists of files, for what reads /proc and /sys.

#include <string>

#include "gpubench/core/io/files.h"
#include "support/temp_dir.h"

namespace gpubench::test {

class FakeMachine {
 public:
  /// Writes a line to the file, or another line than before.
  FakeMachine& with(const std::string& path, const std::string& line) {
    dir_.file(path.substr(1), line + "\n");
    return *this;
  }

  /// Puts a folder where the file is: it exists and cannot be read, by nobody.
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
