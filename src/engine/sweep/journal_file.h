#pragma once
// The file of a journal: lines are appended, synced, and never half there for longer than the disk is full.

#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/core/io/files.h"

namespace gpubench {

/// Whole lines of a file, and what follows the last of them.
struct JournalText {
  std::vector<std::string> lines;
  std::string torn;       ///< Text without a line end; empty in a file that was closed well.
  std::size_t whole = 0;  ///< Bytes before it.
};

/// Throws a data Error where the file cannot be read.
JournalText read_lines(const std::filesystem::path& path);

/// Open for appending, and locked against a second gpubench.
class JournalFile {
 public:
  /// Opens or makes the file. Throws a usage Error where that fails or another process has it.
  explicit JournalFile(const std::filesystem::path& path);

  /// Goes on after the first `kept` bytes; what follows them is dropped. Throws a usage Error where that
  /// fails.
  void cut(std::size_t kept);

  /// Appends the line, after those that could not be written before. `is_synced`: returns when the disk has
  /// it.
  void append(const std::string& line, bool is_synced);

  /// Why lines are missing; empty where none is.
  const std::string& failure() const { return failure_; }

 private:
  bool write_pending();
  /// Ends the file there, for the next line. False leaves errno set.
  bool cut_to(std::size_t size) const;

  std::filesystem::path path_;
  FileDescriptor file_;
  std::size_t size_ = 0;  // Of what is whole in the file.
  std::string pending_;   // Lines that are not in the file yet.
  std::string failure_;
};

}  // namespace gpubench
