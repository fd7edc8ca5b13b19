#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Returns the file that `output` means: of that name, or `name`, if any, in a folder (existing, or ending in
/// "/"); if it is empty, in results/.
std::filesystem::path find_output(const std::string& output, const std::string& name);

/// Result file that holds a valid document from the first finished case on: saving replaces it as a whole.
/// Pipes and devices get the finished document only.
class ResultFile {
 public:
  /// Makes the folders of find_output() that are missing. Throws a usage Error if it cannot write, and for a
  /// file with content unless it `overwrites` that.
  ResultFile(const std::string& output, const std::string& default_name, bool overwrites);

  /// Returns true if the document can be written again and again; false for pipes and devices.
  bool is_replaceable() const;

  /// Saves the document so far. An error is printed and ignored.
  void save_snapshot(const std::string& document) const;

  /// Saves the finished document. Throws a usage Error if it cannot be written; the former one stays.
  void save(const std::string& document) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Returns "2026-11-21T10-15-00Z-host-cpu+cuda-0.json"; characters that file systems dislike become "-".
std::string result_name(const std::string& utc, const std::string& host,
                        const std::vector<std::string>& devices);

struct DocumentOutput {
  std::string output;       ///< File, folder or "-".
  bool overwrites = false;  ///< Replaces a file with content.
};

/// Where a measurement writes its result; an empty `output` is a new file in results/.
struct ResultOutput : DocumentOutput {
  bool is_quiet = false;  ///< Neither progress nor notes on stderr.
};

/// Opens the result file; nothing for stdout. A new file is named "PREFIX", time, host, devices and process.
std::optional<ResultFile> open_result(const ResultOutput& to, const std::string& prefix,
                                      const std::string& started_at, const std::vector<std::string>& devices);

/// Saves the document and prints `shown` even if that fails. Prints the document if there is no file.
void finish_result(const std::optional<ResultFile>& file, const std::string& document,
                   const std::string& shown, bool is_quiet);

/// Writes `text` to `to`, or to stdout if that names nothing. In a folder it gets the name of `source`, the
/// file it was made of. Throws a usage Error where it cannot be written.
void write_document(const DocumentOutput& to, const std::string& source, const std::string& text);

bool has_content(const std::filesystem::path& path);

/// Throws a usage Error if a file with content would be replaced.
void require_free(const std::filesystem::path& path);

/// Returns this program, called with `arguments`, without passwords in URLs; `finished_at` is missing.
ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at);

}  // namespace gpubench
