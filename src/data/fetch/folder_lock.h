#pragma once
// One process at a time may fill a dataset's folder.

#include <filesystem>

#include "gpubench/core/io/file_descriptor.h"

namespace gpubench {

/// Holds the folder until the end of its life; the system releases it if the process dies. Works between the
/// threads of a process too.
class FolderLock {
 public:
  /// Makes the folder if need be and waits for whoever holds it. Throws a data Error if the folder cannot be
  /// made or written.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor file_;
};

}  // namespace gpubench
