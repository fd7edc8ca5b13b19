#pragma once
// Readers of delimited text, JSON values and lines by patterns. They pass records to a builder, skip foreign
// lines, and throw an Error for a place that the log lacks.

#include <string>

#include "power/log/log_builder.h"
#include "power/log/log_format.h"

namespace gpubench {

namespace table_reader {
/// Returns true if a line has all headings of the tool's signature.
bool has_signature(const std::string& text, const LogFormat& format);
/// Derives the description of a log of no known tool. Throws refuse_unknown().
LogFormat infer(const std::string& text);
void read(const std::string& text, const LogFormat& format, LogBuilder& builder);
}  // namespace table_reader

namespace json_reader {
/// Returns true if the text is JSON values, with or without other text before each.
bool is_json(const std::string& text);
bool has_signature(const std::string& text, const LogFormat& format);
LogFormat infer(const std::string& text);
void read(const std::string& text, const LogFormat& format, LogBuilder& builder);
}  // namespace json_reader

namespace line_reader {
bool has_signature(const std::string& text, const LogFormat& format);
void read(const std::string& text, const LogFormat& format, LogBuilder& builder);
}  // namespace line_reader

/// Logs of gpubench: `--power-log`.
namespace gpubench_log {
void read(const std::string& text, LogBuilder& builder);
}

/// Throws an Error for a log that lacks a place: a usage Error if the user describes the log.
[[noreturn]] void refuse_place(const LogFormat& format, const std::string& place);

/// Throws a data Error: the first line, what is missing, and the description that would explain the log.
[[noreturn]] void refuse_unknown(std::string_view line, const std::string& missing,
                                 const std::string& description);

}  // namespace gpubench
