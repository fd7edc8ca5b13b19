#pragma once
// JSON of documents, rows and messages, and its checksum. Stateless, hence safe for several threads.

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

/// `value` on one line; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

/// `document` as files have it: indented, with a list of plain values or a phase on one line.
std::string document_text(const Json& document);

/// Key of an object's reasons for what is null: by key, or by group where no field of that has a value.
inline constexpr const char* kMissingKey = "missing";

inline constexpr const char* kContentHashKey = "content_sha256";

/// SHA-256, in lower-case hexadecimal, of `document` without its `content_sha256`, written by nlohmann_json
/// on one line without white space, keys sorted by bytes and numbers as doubles.
std::string content_hash(const Json& document);

/// `document` with its checksum as the last key; one that it had is replaced.
Json sealed(Json document);

inline constexpr Bytes kLargestDocument{std::int64_t{1} << 30};  ///< Results have some 10 KB a case.
inline constexpr std::size_t kMostValues = 64'000'000;           ///< In a text: 10 million epochs have 30.
inline constexpr std::size_t kDeepestDocument = 32;              ///< Lists and objects in each other.

enum class Comments {
  kRefused,
  kTaken,  ///< "// to the end of the line" and "/* between */", in what people write by hand.
};

/// Parses text of unknown origin. Throws a data Error if it is invalid, too deep or too large.
Json parse_document(std::string_view text, Comments comments = Comments::kRefused);

/// Reads a file. Throws a data Error that names it if it is empty or parse_document() or reading fails.
Json read_document(const std::filesystem::path& path);

/// Returns what `read` makes of the document in the file, whose name data Errors get.
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
