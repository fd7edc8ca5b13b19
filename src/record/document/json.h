#pragma once
// JSON as all documents, journals and messages have it.

#include <string>

#include <nlohmann/json.hpp>

namespace gpubench {

using Json = nlohmann::ordered_json;  ///< Keys stay in the order of the field tables.

/// `value` on one line; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

/// `document` as files have it: indented, with a list of plain values, a phase or a point on one line.
std::string document_text(const Json& document);

}  // namespace gpubench
