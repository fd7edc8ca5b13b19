#pragma once
// JSON as all documents, journals and messages have it, and the checksum of its content that a document
// carries, so that a later change shows.

#include <string>

#include <nlohmann/json.hpp>

namespace gpubench {

using Json = nlohmann::ordered_json;  ///< Keys stay in the order of the field tables.

/// `value` on one line; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

/// `document` as files have it: indented, with a list of plain values, a phase or a point on one line.
std::string document_text(const Json& document);

/// Key of the checksum in a document.
inline constexpr const char* kContentHashKey = "content_sha256";

/// SHA-256, in lower-case hexadecimal, of `document` without its `content_sha256`, as nlohmann_json writes it
/// on one line without white space, with keys sorted by their bytes and all numbers as doubles: layout, order
/// of keys and notation of numbers do not matter. Throws a usage Error where OpenSSL offers no SHA-256.
std::string content_hash(const Json& document);

/// `document` with its checksum as the last key; one that it had is replaced.
Json sealed(Json document);

}  // namespace gpubench
