#pragma once
// Ordered table of the plug-ins of one kind. The folder's catalog.def lists them.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {

/// Immutable, so thread-safe. `Entry` needs a member `std::string name`.
template <class Entry>
class Catalog {
 public:
  /// `kind` is the singular noun for messages, e.g. "model".
  Catalog(std::string kind, std::vector<Entry> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

  /// Returns the entry called `name`, or nullptr.
  const Entry* find(std::string_view name) const {
    const auto found = std::ranges::find(entries_, name, &Entry::name);
    return found == entries_.end() ? nullptr : &*found;
  }

  /// Returns the entry called `name`. Throws a usage Error that starts with `option` and suggests a name.
  const Entry& require(std::string_view name, const std::string& option) const {
    if (const Entry* entry = find(name)) return *entry;
    throw_unknown_name(option, kind_, name, names());
  }

  std::vector<std::string> names() const { return names_in(entries_); }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace gpubench
