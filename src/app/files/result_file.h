#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Returns the path of a result file: `output` itself; `name` in `output` if that exists as a folder or ends
/// in "/"; `name` in results/ if `output` is empty.
std::filesystem::path find_output(const std::string& output, const std::string& name);

/// Result file that contains a valid document after every finished case: saving replaces the whole file.
/// Pipes and devices get the finished document only.
class ResultFile {
 public:
  /// Creates missing parent folders. Throws a usage Error if the file is not writable, or has content and
  /// `overwrites` is false.
  ResultFile(const std::string& output, const std::string& default_name, bool overwrites);

  /// Returns true if the document can be rewritten; false for pipes and devices.
  bool is_replaceable() const;

  /// Saves the document so far. Prints and ignores errors.
  void save_snapshot(const std::string& document) const;

  /// Saves the finished document. Throws a usage Error if writing fails; then the old content stays.
  void save(const std::string& document) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Returns "2026-11-21T10-15-00Z-host-cpu+cuda-0.json"; characters that are unsafe in file names become "-".
std::string result_name(const std::string& utc, const std::string& host,
                        const std::vector<std::string>& devices);

struct DocumentOutput {
  std::string output;       ///< File, folder or "-".
  bool overwrites = false;  ///< Replace a file with content.
};

/// Destination of the result of a measurement; an empty `output` means a new file in results/.
struct ResultOutput : DocumentOutput {
  bool is_quiet = false;               ///< Print no progress and no notes on stderr.
  std::vector<std::string> arguments;  ///< Command line, for the result.
};

/// Opens the result file; returns nullopt for stdout. The default name consists of the prefix, time, host,
/// devices and process ID.
std::optional<ResultFile> open_result(const ResultOutput& to, const std::string& prefix,
                                      const std::string& started_at, const std::vector<std::string>& devices);

/// Saves the document and prints `shown`, even if saving fails. Without a file, prints the document.
void finish_result(const std::optional<ResultFile>& file, const std::string& document,
                   const std::string& shown, bool is_quiet);

/// Writes `text` to `to.output`, or to stdout if that is empty. In a folder, the file gets the name of the
/// file `source`. Throws a usage Error if writing fails.
void write_document(const DocumentOutput& to, const std::string& source, const std::string& text);

bool has_content(const std::filesystem::path& path);

/// Throws a usage Error if the file has content.
void require_free(const std::filesystem::path& path);

/// Returns the record of this invocation, without passwords in URLs; `finished_at` is missing.
ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at);

}  // namespace gpubench
