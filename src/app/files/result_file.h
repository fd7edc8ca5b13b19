#pragma once
// The file that a document goes to, and what the document says of its maker.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// A result file that holds a valid document from the first finished case on. What is saved replaces the file
/// as a whole, as write_file() does, so that a crash at any time leaves the last saved document. Pipes and
/// devices get the finished document alone.
class ResultFile {
 public:
  /// `output` as on the command line: a file, a folder (existing, or ending in "/"), or empty for a new file
  /// in results/, whose name no other process gets meanwhile. Makes missing folders and tries at once whether
  /// it can write; throws a usage Error where it cannot, and for a file that has content unless it
  /// `overwrites` that.
  ResultFile(const std::string& output, const std::string& default_name, bool overwrites);

  /// Whether the document can be written again and again; false for pipes and devices.
  bool is_replaceable() const;

  /// The document so far, while more is to come. Where it cannot be written that is said, and no error.
  void save_snapshot(const std::string& document) const;

  /// The document as it stays. Throws a usage Error where it cannot be written; the one saved before stays as
  /// it is.
  void save(const std::string& document) const;

  /// Saves the document and prints `shown`, the latter also where the former fails.
  void finish(const std::string& document, const std::string& shown) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::shared_ptr<void> reservation_;  // An empty file under a name in a folder, gone unless it was replaced.
};

/// "2026-11-21T10-15-00Z-host-cpu+cuda-0.json"; characters that file systems dislike become "-".
std::string result_name(const std::string& utc, const std::string& host,
                        const std::vector<std::string>& devices);

/// Where a command writes its document.
struct DocumentOutput {
  std::string output;       ///< File, folder or "-".
  bool overwrites = false;  ///< Replaces a file with content.
};

/// Where a measurement writes its result; an empty `output` is a new file in results/.
struct ResultOutput : DocumentOutput {
  bool is_shared = false;  ///< The result is written redacted; see redaction.h.
  bool is_quiet = false;   ///< Neither progress nor notes on stderr.
};

/// Opens the result file; nothing for stdout. A new file is named "PREFIX", time, host and devices.
std::optional<ResultFile> open_result(const ResultOutput& to, const std::string& prefix,
                                      const std::string& started_at, const std::vector<std::string>& devices);

/// Saves the document and prints `shown`, or prints the document if there is no file.
void finish_result(const std::optional<ResultFile>& file, const std::string& document,
                   const std::string& shown, bool is_quiet);

/// Writes `text` to `to`, or to stdout if that names nothing. In a folder it gets the name of `source`, the
/// file it was made of. Throws a usage Error where it cannot be written.
void write_document(const DocumentOutput& to, const std::string& source, const std::string& text);

/// Whether a regular file is there with something in it.
bool has_content(const std::filesystem::path& path);

/// Throws a usage Error where it has_content(), which a new result would replace.
void require_free(const std::filesystem::path& path);

/// This program, called with `arguments`, in whose URLs no password stays; `finished_at` is left absent.
ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at);

}  // namespace gpubench
