#pragma once
// What a member of a document holds, as a value of a field; and how a document is refused.

#include <string>

#include "gpubench/record/field_table.h"
#include "record/document/record_json.h"

namespace gpubench {

/// Throws a data Error: "cases[0].batch: a number is expected".
[[noreturn]] void refuse(const std::string& place, const std::string& what);

/// The place of `key` in the object at `where`, which is empty for the document itself.
std::string inside(const std::string& where, const std::string& key);

void require_object(const Json& value, const std::string& place);

/// Throws a data Error for a document that is not of a version from 1 to `newest`.
void require_version(const Json& document, std::int64_t newest);

/// Why members of an object are null.
class Reasons {
 public:
  explicit Reasons(const Json& object);

  /// Of a member that is null, whose field is in `group`.
  std::string of(Json::const_iterator member, const std::string& group) const;

 private:
  const Json& object_;
  Json::const_iterator absent_;
};

/// What the value of `key` is, without regard to what it should be; it is not null.
FieldValue field_value_of(const Json& value, const std::string& where, const std::string& key);

/// Named numbers or named lists of numbers.
FieldValue object_value(const Json& object, const std::string& place);

}  // namespace gpubench
