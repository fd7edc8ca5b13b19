#pragma once
// Names of enumerations as in files and on the command line, looked up both ways. An enumeration that has
// names has a function `names_of(Enum)` beside it, which is found by its argument, whatever its value.

#include <algorithm>
#include <array>
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

  std::string name_of(Enum value) const { return names[static_cast<std::size_t>(value)]; }

  /// In the order of their values.
  std::vector<std::string> all() const { return {names.begin(), names.end()}; }

  /// Throws an Error of `error` that lists the known names for an unknown one.
  Enum value_of(const std::string& text, ErrorKind error) const {
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) throw Error(error, unknown_name_message(kind, text, all()));
    return static_cast<Enum>(found - names.begin());
  }
};

/// The name of a value.
template <class Enum>
requires requires(Enum value) { names_of(value); }
std::string to_string(Enum value) { return names_of(value).name_of(value); }

/// The way back, `value_named<Protocol>("fit")`. Throws a usage Error that lists the names, the nearest
/// first.
template <class Enum>
Enum value_named(const std::string& name) {
  return names_of(Enum{}).value_of(name, ErrorKind::kUsage);
}

/// For options and their help.
template <class Enum>
std::vector<std::string> known_names() {
  return names_of(Enum{}).all();
}

}  // namespace gpubench
