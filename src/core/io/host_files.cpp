// HostFiles: what the kernel shows in /proc and /sys.

#include <algorithm>
#include <charconv>
#include <fstream>

#include "gpubench/core/io/outside_file.h"
#include "gpubench/core/text/fields.h"

namespace gpubench {
namespace {

Measured<std::int64_t> number_in(const std::string& text, const std::string& path) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return missing("no number in " + path);
  return number;
}

}  // namespace

std::vector<std::string> HostFiles::lines(const std::string& path) const {
  std::ifstream in(root_ / std::filesystem::path(path).relative_path());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

Measured<std::string> HostFiles::read_line(const std::string& path, const std::string& key) const {
  const std::vector<std::string> all = lines(path);
  if (all.empty()) return missing("cannot read " + path);
  for (const std::string& line : all) {
    if (line.starts_with(key)) return std::string(trimmed(std::string_view(line).substr(key.size())));
  }
  return missing("no '{}' in {}", key, path);
}

Measured<std::int64_t> HostFiles::read_number(const std::string& path, const std::string& key) const {
  return read_line(path, key).then([&](const std::string& text) { return number_in(text, path); });
}

std::vector<std::string> HostFiles::entries(const std::string& folder, const std::string& prefix) const {
  std::vector<std::string> paths;
  std::error_code ignored;
  std::filesystem::directory_iterator entry(root_ / std::filesystem::path(folder).relative_path(), ignored);
  for (; !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) paths.push_back(folder + "/" + name);
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace gpubench
