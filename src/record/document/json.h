#pragma once
// JSON text, its checksum, and parsing of untrusted files. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gpubench/core/error.h"
#include "gpubench/core/units.h"

namespace gpubench {

using Json = nlohmann::ordered_json;  ///< Keys stay in the order of the field tables.

/// Returns the members of an object as a list, to which a new key can be added without a search.
inline Json::object_t::Container& list_members(Json& object) { return object.get_ref<Json::object_t&>(); }

/// Formats `value` on one line. Invalid UTF-8 becomes U+FFFD.
std::string json_text(const Json& value);

/// Formats `document` with indentation; lists of scalars and phases are on one line.
std::string document_text(const Json& document);

/// Key of the reasons for null values, by key, or by group if all fields of the group share a reason.
inline constexpr const char* kMissingKey = "missing";

inline constexpr const char* kContentHashKey = "content_sha256";

/// Returns the lower-case SHA-256 of `document` without `content_sha256`, as nlohmann_json writes it: on one
/// line without white space, with keys sorted by bytes and numbers as doubles.
std::string content_hash(const Json& document);

/// Returns true if the document states a checksum that does not match its content.
bool is_changed(const Json& document);

/// Returns `document` with its checksum as the last key.
Json sealed(Json document);

inline constexpr Bytes kLargestDocument{std::int64_t{1} << 30};  ///< A case has about 10 KB.
inline constexpr std::size_t kMostValues = 64'000'000;           ///< Maximum number of values in a text.
inline constexpr std::size_t kDeepestDocument = 32;              ///< Maximum nesting of lists and objects.

enum class Comments {
  kRefused,
  kTaken,  ///< "// line" and "/* block */" comments are allowed, for files written by hand.
};

/// Parses untrusted text. Throws a data Error if it is invalid, too deep or too large.
Json parse_document(std::string_view text, Comments comments = Comments::kRefused);

/// Reads a file. Throws a data Error that names the file if it is unreadable, empty or invalid.
Json read_document(const std::filesystem::path& path);

/// Returns `read(document)` for the document in the file. Adds the path to data Errors.
template <class Read>
auto read_document_as(const std::filesystem::path& path, const Read& read) {
  const Json document = read_document(path);
  try {
    return read(document);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", path.string(), error.what());
  }
}

}  // namespace gpubench
