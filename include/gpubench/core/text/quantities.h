#pragma once
// Parses and formats fields of a line, numbers, durations and memory sizes. Parsers of options throw a usage
// Error that starts with `option`. K, M, G and T are powers of 1024, with or without "iB".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

/// Removes spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// Returns the text with ASCII letters in lower case, in any locale.
std::string lower(std::string_view text);

/// Splits a line into fields, without the spaces and double quotes around them.
std::vector<std::string_view> split_fields(std::string_view line, char separator);

/// Parses all of `text` as a number, in any locale. Refuses "inf", "nan" and numbers out of range.
std::optional<double> parse_decimal(std::string_view text);

/// Parses all of `text` as a whole number in decimal digits. Refuses leading zeros and plus signs.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// Parses "5%" or "5" as 0.05; from 0 to 1000 %.
double parse_percent(const std::string& text, const std::string& option);

/// Parses the price of a kilowatt hour in any currency, such as "0.30"; above 0.
double parse_price(const std::string& text, const std::string& option);

/// Parses seconds, or numbers with units in descending order: "90", "500ms", "1.5m", "1h30m", "2d"; from 0.
Seconds parse_duration(const std::string& text, const std::string& option);

/// Formats "45 s", "3 min 05 s", "2 h 10 min". Negative durations become "0 s".
std::string duration_text(Seconds duration);

/// Parses bytes, or a number and a unit in either case: "4096", "512M", "8G", "1.5GiB".
Bytes parse_byte_size(const std::string& text, const std::string& option);

/// Formats "512 B", "1.5 GiB", "2 GiB".
std::string byte_text(Bytes size);

}  // namespace gpubench
