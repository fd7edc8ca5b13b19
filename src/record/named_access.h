#pragma once
// Access to members that are one of an enumeration: its name in files.

#include <string>

#include "gpubench/core/error.h"
#include "record/field_value.h"

namespace gpubench {

/// The text that `value` is; throws a data Error for one of another kind.
inline std::string text_in(const FieldValue& value) {
  std::string text;
  assign(text, value);
  return text;
}

/// `at` finds the member in a record, constant or not; `value_named` is the way back from its name.
template <class Record, class At, class Enum>
Access<Record> named_access(At at, Enum (*value_named)(const std::string&)) {
  return {[at](const Record& record) { return to_string(at(record)); },
          [at, value_named](Record& record, const FieldValue& value) {
            const std::string text = text_in(value);
            try {
              at(record) = value_named(text);
            } catch (const Error& error) {
              // What is a slip on the command line is a fault of the file here.
              throw Error(ErrorKind::kData, error.what());
            }
          }};
}

}  // namespace gpubench
