#pragma once
// The checksum of its content that a document carries, so that a later change shows.

#include <string>

#include "record/document/json.h"

namespace gpubench {

/// Key of the checksum in a document.
inline constexpr const char* kContentHashKey = "content_sha256";

/// SHA-256, in lower-case hexadecimal, of `document` without its `content_sha256`, as nlohmann_json writes it
/// on one line without white space, with keys sorted by their bytes and all numbers as doubles: layout, order
/// of keys and notation of numbers do not matter. Throws an internal Error where OpenSSL offers no SHA-256.
std::string content_hash(const Json& document);

/// `document` with its checksum as the last key; one that it had is replaced.
Json sealed(Json document);

}  // namespace gpubench
