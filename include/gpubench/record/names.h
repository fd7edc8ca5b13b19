#pragma once
// Names of enumerations, looked up both ways, by a function `enum_names(Enum)` beside the enumeration.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {

/// The names of all values of an enumeration, which count from 0, in their order.
template <class Enum>
struct EnumNames {
  const char* kind;  ///< What the enumeration is, for messages: "protocol".
  std::span<const char* const> names;

  /// In the order of their values.
  std::vector<std::string> all() const { return {names.begin(), names.end()}; }

  /// The value of that name, or nothing.
  std::optional<Enum> find(const std::string& text) const {
    const auto found = std::ranges::find(names, text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
  }
};

/// The name of a value.
template <class Enum>
requires requires(Enum value) { enum_names(value); }
std::string to_string(Enum value) { return enum_names(value).names[static_cast<std::size_t>(value)]; }

/// The way back, `value_named<Protocol>("fit")`. Throws an Error of `error` that lists the names.
template <class Enum>
Enum value_named(const std::string& name, ErrorKind error = ErrorKind::kUsage) {
  const EnumNames<Enum> names = enum_names(Enum{});
  if (const std::optional<Enum> value = names.find(name)) return *value;
  throw_unknown_name(error, names.kind, name, names.all());
}

/// For options and their help.
template <class Enum>
std::vector<std::string> known_names() {
  return enum_names(Enum{}).all();
}

}  // namespace gpubench
