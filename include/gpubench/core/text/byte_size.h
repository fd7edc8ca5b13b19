#pragma once
// Amounts of memory as people write and read them. K, M, G and T are powers of 1024, with or without "iB".

#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// The size in `text`: a number of bytes, or a number and a unit: "4096", "512M", "8G", "1.5GiB"; letters of
/// either case. Throws a usage Error that names `option` for an empty, negative, unreadable or immense one.
Bytes parse_byte_size(const std::string& text, const std::string& option);

/// In the largest unit of which there is at least one, for people: "512 B", "1.5 GiB". Whole numbers have
/// no decimals.
std::string byte_text(Bytes size);

}  // namespace gpubench
