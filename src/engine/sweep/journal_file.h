#pragma once
// The file of a journal: lines are appended, synced, and never half there for longer than the disk is full.

#include <filesystem>
#include <string>
#include <string_view>

#include "gpubench/core/io/files.h"

namespace gpubench {

/// What stands in the file of a journal.
struct JournalText {
  std::string text;
  std::size_t whole = 0;  ///< Bytes of its whole lines; what follows them is torn.

  std::string_view lines() const { return std::string_view(text).substr(0, whole); }
  std::string_view torn() const { return std::string_view(text).substr(whole); }
};

/// Throws a data Error where the file cannot be read, or is none that open_outside_file() takes.
JournalText read_journal_text(const std::filesystem::path& path);

/// Open for appending, and locked against a second gpubench.
class JournalFile {
 public:
  /// Opens or makes the file. Throws a usage Error where that fails or another process has it.
  explicit JournalFile(const std::filesystem::path& path);

  /// Goes on after the first `kept` bytes; what follows them is dropped. Throws a usage Error where that
  /// fails.
  void cut(std::size_t kept);

  /// Removes the file where it has nothing in it: it was made for a run that is not to be.
  void remove_if_empty() const;

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
  std::string dropped_;  // A failed sync is told once; what it was about may be lost for good.
};

}  // namespace gpubench
