#pragma once
// Inputs as lines and as files.

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"

namespace gpubench::fuzz {

/// Splits the text into at most `most` lines without their ends; the last line contains the rest.
inline std::vector<std::string> list_lines(std::string_view text, std::size_t most = std::string_view::npos) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = lines.size() + 1 < most ? text.find('\n') : std::string_view::npos;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// A new folder for each call. Fuzzing sets TMPDIR to a folder in memory.
using Folder = test::TempDir;

/// Writes the input to a file that all calls share, which is faster than a new folder.
inline std::filesystem::path lasting_file(std::string_view bytes) {
  static const Folder folder;
  return folder.file("input", bytes);
}

}  // namespace gpubench::fuzz
