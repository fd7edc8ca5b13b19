#pragma once
// The file that a document goes to, and what the document says of its maker.

#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/record/redaction.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A result file that holds a valid document from the first finished case on. What is saved replaces the file
/// as a whole, as write_file() does, so that a crash at any time leaves the last saved document. Pipes and
/// devices get the finished document alone.
class ResultFile {
 public:
  /// `output` as on the command line: a file, a folder (existing, or ending in "/"), or empty for a new file
  /// in results/. Makes missing folders and tries at once whether it can write; throws a usage Error where it
  /// cannot.
  ResultFile(const std::string& output, const std::string& default_name);

  /// Whether the document can be written again and again; false for pipes and devices.
  bool is_replaceable() const;

  /// The document so far, while more is to come. Where it cannot be written that is said, and no error.
  void keep(const std::string& document) const;

  /// The document as it stays. Throws a usage Error where it cannot be written; the one saved before stays as
  /// it is.
  void save(const std::string& document) const;

  /// Saves the document and prints `shown`, the latter also where the former fails.
  void conclude(const std::string& document, const std::string& shown) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// "2026-11-21T10-15-00Z-host-cpu+cuda-0.json"; characters that file systems dislike become "-".
std::string result_name(const std::string& utc, const std::string& host,
                        const std::vector<std::string>& devices);

/// Writes `text` to what `output` names as ResultFile takes it, and says so on stderr; or to stdout where
/// `output` is empty or "-". `source` is the file it was made of, whose name it gets in a folder. Throws a
/// usage Error where it cannot be written.
void write_document(const std::string& output, const std::string& source, const std::string& text);

/// This program, called with `arguments`, in whose URLs no password stays; `finished_at` is left absent.
ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at);

/// This host, the user who runs gpubench, and the user's home folder.
Identity own_identity();

}  // namespace gpubench
