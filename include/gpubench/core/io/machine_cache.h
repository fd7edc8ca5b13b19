#pragma once
// Facts that were measured once on this machine: a small file each.

#include <filesystem>
#include <optional>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// Returns ${XDG_CACHE_HOME:-~/.cache}/gpubench; empty if neither variable is set.
std::filesystem::path cache_folder();

/// Texts by key, a line that says all that the fact depends on: machine, versions, sizes. Safe to use from
/// several processes at once: the later store wins.
class MachineCache {
 public:
  /// Without an absolute `folder` it finds and keeps nothing.
  explicit MachineCache(std::filesystem::path folder)
      : folder_(folder.is_absolute() ? std::move(folder) : std::filesystem::path()) {}

  /// Returns the text of `key`; nothing if other users can write to it, or if it has more than `most`.
  std::optional<std::string> find(const std::string& key, Bytes most = {1 << 20}) const;

  /// Keeps `text`. A failure is no error: the fact will be measured again.
  void store(const std::string& key, const std::string& text) const;

 private:
  std::filesystem::path find_file(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace gpubench
