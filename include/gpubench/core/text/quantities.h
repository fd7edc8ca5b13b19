#pragma once
// Fields of a line, and numbers, durations and amounts of memory as people write and read them. K, M, G and T
// of memory are powers of 1024, with or without "iB".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

/// Without the spaces and tabulators at both ends.
std::string_view trimmed(std::string_view text);

/// The fields between separators, without the spaces and double quotes around them.
std::vector<std::string_view> split_fields(std::string_view line, char separator);

/// Returns the number that all of `text` is, in any locale: digits, perhaps a point, a sign and an exponent.
/// Nothing for "inf", "nan", a number too large for a double, or spaces.
std::optional<double> parse_decimal(std::string_view text);

/// The whole number that `text` is in decimal digits, without zeros or a plus sign before it.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// "5%" as 0.05; the sign may be missing. Throws a usage Error that starts with `option` for anything else,
/// and for what is below 0 or above 1000.
double parse_percent(const std::string& text, const std::string& option);

/// What a kilowatt hour costs: "0.30" as 0.3, in whatever currency. Throws a usage Error that starts with
/// `option` for what is no number above 0.
double parse_price(const std::string& text, const std::string& option);

/// The duration in `text`: a number of seconds, or numbers with units, the larger first: "90", "90s",
/// "500ms", "1.5m", "20m", "1h30m", "2d". Zero is a duration. Throws a usage Error that names `option` for an
/// empty, negative or unreadable one.
Seconds parse_duration(const std::string& text, const std::string& option);

/// To the second, for people: "45 s", "3 min 05 s", "2 h 10 min". Negative durations read as zero.
std::string duration_text(Seconds duration);

/// The size in `text`: a number of bytes, or a number and a unit: "4096", "512M", "8G", "1.5GiB"; letters of
/// either case. Throws a usage Error that names `option` for an empty, negative, unreadable or immense one.
Bytes parse_byte_size(const std::string& text, const std::string& option);

/// In the largest unit of which there is at least one, for people: "512 B", "1.5 GiB". Whole numbers have
/// no decimals.
std::string byte_text(Bytes size);

}  // namespace gpubench
