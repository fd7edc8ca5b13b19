#pragma once
// Names of enumerations as in files, looked up both ways.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {

/// The values of an enumeration and their names; has every value.
template <class Enum, std::size_t count>
struct EnumNames {
  const char* kind;  ///< What the enumeration is, for messages: "protocol".
  std::array<std::pair<Enum, const char*>, count> names;

  std::string name_of(Enum value) const {
    for (const auto& [known, name] : names) {
      if (known == value) return name;
    }
    return {};
  }

  std::vector<std::string> all() const {
    std::vector<std::string> known;
    for (const auto& [value, name] : names) known.emplace_back(name);
    return known;
  }

  /// Throws an Error of `error` that lists the known names for an unknown one.
  Enum value_of(const std::string& text, ErrorKind error) const {
    for (const auto& [value, name] : names) {
      if (text == name) return value;
    }
    throw Error(error, unknown_name_message(kind, text, all()));
  }
};

}  // namespace gpubench
