#pragma once
// Names of enumerators. Each enumeration has a function `enum_names(Enum)` beside it.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {

/// Names of all enumerators, in order of their values, which count from 0.
template <class Enum>
struct EnumNames {
  const char* kind;  ///< Noun for messages: "protocol".
  std::span<const char* const> names;

  std::vector<std::string> all() const { return {names.begin(), names.end()}; }

  /// Returns the enumerator called `text`, if any.
  std::optional<Enum> find(const std::string& text) const {
    const auto found = std::ranges::find(names, text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
  }
};

/// Returns the name of an enumerator.
template <class Enum>
requires requires(Enum value) { enum_names(value); }
std::string to_string(Enum value) { return enum_names(value).names[static_cast<std::size_t>(value)]; }

/// Returns the enumerator of a name: `value_named<Protocol>("fit")`. Throws an Error that lists the names.
template <class Enum>
Enum value_named(const std::string& name, ErrorKind error = ErrorKind::kUsage) {
  const EnumNames<Enum> names = enum_names(Enum{});
  if (const std::optional<Enum> value = names.find(name)) return *value;
  throw_unknown_name(error, names.kind, name, names.all());
}

/// Returns all names, for options and help.
template <class Enum>
std::vector<std::string> known_names() {
  return enum_names(Enum{}).all();
}

}  // namespace gpubench
