#pragma once
// What a server says in words: a page of links, the size of a file.

#include <string>

#include "data/fetch/download.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// The text at `url`, of `most` bytes at most. Throws a data Error that names the URL, without a password.
std::string read_page(const std::string& url, Bytes most, const FetchTerms& terms);

/// The size that the server states for the file at `url`. Throws as read_page() does, and where none is
/// stated.
Bytes remote_size(const std::string& url, const FetchTerms& terms);

}  // namespace gpubench
