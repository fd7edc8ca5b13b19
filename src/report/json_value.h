#pragma once
// What a member of a document holds, as a value of a field; and how a document is refused.

#include <string>

#include "gpubench/record/field_table.h"
#include "gpubench/record_json.h"

namespace gpubench {

/// Throws a data Error: "cases[0].batch: a number is expected".
[[noreturn]] void refuse(const std::string& place, const std::string& what);

/// The place of `key` in the object at `where`, which is empty for the document itself.
std::string inside(const std::string& where, const std::string& key);

void require_object(const Json& value, const std::string& place);

/// What the member holds, without regard to what it should; null is absent, with the reason beside it.
FieldValue field_value_of(const Json& object, Json::const_iterator member, const std::string& where);

/// Named numbers or named lists of numbers.
FieldValue object_value(const Json& object, const std::string& place);

}  // namespace gpubench
