#pragma once
// JSON as all documents, journals and messages have it, and the checksum of its content that a document
// carries, so that a later change shows. Stateless, hence safe to call from several threads.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gpubench/core/units.h"

namespace gpubench {

using Json = nlohmann::ordered_json;  ///< Keys stay in the order of the field tables.

/// `value` on one line; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

/// `document` as files have it: indented, with a list of plain values or a phase on one line.
std::string document_text(const Json& document);

/// Key of an object's reasons for what is null: by key, or by group where no field of that has a value.
inline constexpr const char* kMissingKey = "missing";

/// Key of the checksum in a document.
inline constexpr const char* kContentHashKey = "content_sha256";

/// SHA-256, in lower-case hexadecimal, of `document` without its `content_sha256`, as nlohmann_json writes it
/// on one line without white space, with keys sorted by their bytes and all numbers as doubles: layout, order
/// of keys and notation of numbers do not matter. Throws a usage Error where OpenSSL offers no SHA-256.
std::string content_hash(const Json& document);

/// `document` with its checksum as the last key; one that it had is replaced.
Json sealed(Json document);

// JSON from outside, whoever wrote it, of bounded size and depth; and documents from disk.

inline constexpr Bytes kLargestDocument{std::int64_t{1} << 30};  ///< Results have some 10 KB a case.
inline constexpr std::size_t kMostValues = 64'000'000;           ///< In a text: 10 million epochs have 30.
inline constexpr std::size_t kDeepestDocument = 32;              ///< Lists and objects in each other.

enum class Comments {
  kRefused,
  kTaken,  ///< "// to the end of the line" and "/* between */", in what people write by hand.
};

/// The JSON value in `text`, which anybody may have written: documents, journals, suites, messages. Throws a
/// data Error, "holds the key batch twice", for text that is no JSON, has a key twice in an object, nests
/// deeper than kDeepestDocument, has more than kMostValues or holds a number that no double can.
Json parse_document(std::string_view text, Comments comments = Comments::kRefused);

/// The document in the file at `path`. Throws a data Error that names the file where it is none that
/// open_outside_file() takes, is empty or is larger than kLargestDocument, and for what parse_document()
/// refuses.
Json read_document(const std::filesystem::path& path);

}  // namespace gpubench
