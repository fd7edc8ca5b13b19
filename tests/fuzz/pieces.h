#pragma once
// Inputs in pieces, and as files.

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"

namespace gpubench::fuzz {

/// The lines without their ends, but no more than `most`; what follows belongs to the last one.
inline std::vector<std::string> list_lines(std::string_view text, std::size_t most = std::string_view::npos) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = lines.size() + 1 < most ? text.find('\n') : std::string_view::npos;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// A folder of this call alone, empty at first. Fuzzing sets TMPDIR to one in memory.
using Folder = test::TempDir;

/// The same for targets that need a single file a call, which is faster: the folder stays with the process.
inline std::filesystem::path lasting_file(std::string_view bytes) {
  static const Folder folder;
  return folder.file("input", bytes);
}

}  // namespace gpubench::fuzz
