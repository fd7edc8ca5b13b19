#pragma once
// Documents from disk, whoever wrote them: JSON of bounded size and depth.
//
// Stateless, hence safe to call from several threads.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "record/document/json.h"

namespace gpubench {

inline constexpr std::size_t kLargestDocument = std::size_t{64} << 20;  ///< Bytes; results have some 100 KB.
inline constexpr std::size_t kDeepestDocument = 32;                     ///< Lists and objects in each other.

/// The JSON value in `text`. Throws a data Error, "holds the key batch twice", for text that is no JSON, has
/// a key twice in an object, nests deeper than kDeepestDocument or holds a number that no double can.
Json parse_document(std::string_view text);

/// The text of the file at `path`. Throws a data Error that names the file where it cannot be read, is no
/// regular file, is empty or is larger than kLargestDocument; it does not wait for a pipe.
std::string read_document_text(const std::filesystem::path& path);

/// The document in the file at `path`. Throws as the two above, and names the file.
Json read_document(const std::filesystem::path& path);

}  // namespace gpubench
