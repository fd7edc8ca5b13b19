#pragma once
// Names of enumerations as in files and on the command line, looked up both ways.

#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

/// The values of an enumeration and their names; has every value.
template <class Enum>
struct EnumNames {
  const char* kind;  ///< What the enumeration is, for messages: "protocol".
  std::vector<std::pair<Enum, const char*>> names;

  std::string name_of(Enum value) const {
    for (const auto& [known, name] : names) {
      if (known == value) return name;
    }
    return {};
  }

  /// In the order of their values.
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

// Of the type of the argument, whatever its value.
const EnumNames<RowStatus>& names_of(RowStatus);
const EnumNames<Protocol>& names_of(Protocol);
const EnumNames<Execution>& names_of(Execution);
const EnumNames<Precision>& names_of(Precision);
const EnumNames<Layout>& names_of(Layout);
const EnumNames<Loader>& names_of(Loader);
const EnumNames<PowerScope>& names_of(PowerScope);
const EnumNames<EnergyMethod>& names_of(EnergyMethod);
const EnumNames<OpType>& names_of(OpType);
const EnumNames<OpDirection>& names_of(OpDirection);
const EnumNames<OpCache>& names_of(OpCache);

/// For options and their help.
template <class Enum>
std::vector<std::string> known_names() {
  return names_of(Enum{}).all();
}

}  // namespace gpubench
