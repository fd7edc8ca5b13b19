#pragma once
// The file that a run's record goes to.

#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// A result file that holds a valid document from the first finished case on. Each save writes a new file,
/// syncs it to disk and renames it over the old one, so that a crash at any time leaves the last saved
/// document.
class ResultFile {
 public:
  /// `output` as on the command line: a file, a folder (existing, or ending in "/"), or empty for a new file
  /// in results/. Makes missing folders and tries at once whether it can write; throws a usage Error where it
  /// cannot.
  ResultFile(const std::string& output, const std::string& default_name);

  /// Throws a usage Error where the document cannot be written; the one saved before stays as it is.
  void save(const RunRecord& run) const;
  void save_text(const std::string& document) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::filesystem::path draft_;  // In the same folder, so that the rename is atomic.
};

/// "2026-11-21T10-15-00Z-host-cpu+cuda-0.json"; characters that file systems dislike become "-".
std::string result_name(const std::string& utc, const std::string& host,
                        const std::vector<std::string>& devices);

}  // namespace gpubench
