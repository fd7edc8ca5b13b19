#pragma once
// What was measured once on this machine and need not be measured again: a small file for each fact.

#include <filesystem>
#include <optional>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// ${XDG_CACHE_HOME:-~/.cache}/gpubench; empty where neither that nor HOME is set.
std::filesystem::path cache_folder();

/// Texts by key in a folder. A key says all that the fact depends on: machine, versions, sizes. Safe to use
/// from several processes at once; of two that store the same key the later one wins.
class MachineCache {
 public:
  /// A `folder` that is not absolute, for want of a cache_folder(), finds and keeps nothing.
  explicit MachineCache(std::filesystem::path folder)
      : folder_(folder.is_absolute() ? std::move(folder) : std::filesystem::path()) {}

  /// Returns the text stored under `key`, which is one line; nothing where others than this user can write to
  /// it, or where it has more than `most`.
  std::optional<std::string> find(const std::string& key, Bytes most = {1 << 20}) const;

  /// Keeps `text`. Where it cannot be written the fact will be measured again: that is no error.
  void store(const std::string& key, const std::string& text) const;

 private:
  std::filesystem::path find_file(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace gpubench
