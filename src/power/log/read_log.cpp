// Reads a log file: decompresses, decodes, detects the format, collects the readings and checks them.

#include <algorithm>
#include <array>
#include <memory>

#include <archive.h>
#include <archive_entry.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/encoding.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/power_log.h"
#include "power/log/readers.h"

namespace gpubench {
namespace {

using namespace std::string_view_literals;

constexpr Bytes kLargestLog{std::int64_t{256} << 20};

/// First bytes of gzip, xz, bzip2 and zstd.
constexpr std::array kArchiveMarks{"\x1f\x8b"sv, "\xfd\x37zXZ"sv, "BZh"sv, "\x28\xb5\x2f\xfd"sv};

std::string unpacked(const std::string& bytes) {
  const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), archive_read_free);
  const auto require_ok = [&](int status) {
    if (status == ARCHIVE_OK) return;
    const char* const reason = archive_error_string(reader.get());
    throw Error(ErrorKind::kData, "cannot be decompressed ({}); decompress it with another program",
                reason == nullptr ? "damaged" : reason);
  };
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_raw(reader.get());
  require_ok(archive_read_open_memory(reader.get(), bytes.data(), bytes.size()));
  archive_entry* entry = nullptr;
  require_ok(archive_read_next_header(reader.get(), &entry));
  std::string text;
  std::array<char, 1 << 16> part{};
  while (true) {
    const la_ssize_t count = archive_read_data(reader.get(), part.data(), part.size());
    if (count < 0) require_ok(static_cast<int>(count));
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
    if (static_cast<std::int64_t>(text.size()) > kLargestLog.value) {
      throw Error(ErrorKind::kData, "larger than 256 MiB when decompressed; cut it to the time of the run");
    }
  }
}

constexpr const char* kGpubench = "gpubench";
constexpr const char* kDescribed = "described";  // Name of a format that the user describes.

/// Returns the decompressed text of the file as UTF-8, without byte-order mark. Adds notes on conversions.
std::string read_text(const std::string& path, std::vector<std::string>& notes) {
  Measured<std::string> found = read_untrusted_file(path, kLargestLog);
  if (!found.has_value()) {
    throw Error(ErrorKind::kData, "{}; name a power log of at most 256 MiB", found.reason());
  }
  std::string text = std::move(found).value();
  const auto begins = [&](std::string_view mark) { return text.starts_with(mark); };
  if (std::ranges::any_of(kArchiveMarks, begins)) {
    text = unpacked(text);
    notes.emplace_back("the file was decompressed");
  }
  std::string encoding;
  text = decode_text(std::move(text), encoding);
  if (!encoding.empty()) notes.push_back("the text was read as " + encoding);
  // A machine that lost power leaves zero bytes, after an incomplete line.
  text.erase(text.find_last_not_of('\0') + 1);
  if (text.empty()) throw Error(ErrorKind::kData, "is empty; record it again (see docs/energy.md)");
  return text;
}

/// Returns true if the text is a log of the tool.
bool is_of_tool(const std::string& text, bool is_json, const LogFormat& format) {
  if (format.begin) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::string_view line =
        std::string_view(text).substr(begin, text.find_first_of("\r\n", begin) - begin);
    return !is_json && format.begin->match(line);
  }
  if (!format.lines.empty()) return !is_json && line_reader::has_signature(text, format);
  return is_json ? json_reader::has_signature(text, format) : table_reader::has_signature(text, format);
}

/// Returns the description of a log: the stated one, that of the only tool whose signature it has, or one
/// derived from its columns.
LogFormat find_format(const std::string& text, bool is_json, const std::string& stated) {
  if (stated.find('=') != std::string::npos) {
    LogFormat format = parse_log_format(stated, "--log-format");
    format.name = kDescribed;
    for (LogField& field : format.fields) field.is_guess = true;
    return format;
  }
  std::vector<LogFormat> found;
  for (const LogTool& tool : log_tools()) {
    LogFormat format = parse_log_format(tool.description, tool.name, /*is_of_tool=*/true);
    format.name = tool.name;
    const bool is_wanted = stated == "auto" ? is_of_tool(text, is_json, format) : stated == tool.name;
    if (is_wanted) found.push_back(std::move(format));
  }
  if (found.size() > 1) {
    throw Error(ErrorKind::kData, "may be a log of {}; select one, as in --log-format '{}'",
                join(names_in(found), " or "), found.front().name);
  }
  if (found.empty()) return is_json ? json_reader::infer(text) : table_reader::infer(text);
  if (!found.front().refusal.empty()) throw Error(ErrorKind::kData, "{}", found.front().refusal);
  return std::move(found.front());
}

}  // namespace

const std::vector<LogTool>& log_tools() {
  static const std::vector<LogTool> all{
#include "power/log/tools.def"
  };
  return all;
}

std::vector<std::string> power_log_formats() {
  std::vector<std::string> names{"auto", kGpubench};
  for (const LogTool& tool : log_tools())
    if (tool.command[0] != '\0') names.push_back(tool.name);
  return names;
}

void check_power_log_format(const std::string& text, const std::string& option) {
  const std::vector<std::string> names = power_log_formats();
  if (text.find('=') != std::string::npos)
    parse_log_format(text, option);
  else if (std::ranges::find(names, text) == names.end())
    throw_unknown_name(option, "log format", text, names);
}

void refuse_place(const LogFormat& format, const std::string& place) {
  if (format.name != kDescribed)
    throw Error(ErrorKind::kData, "is not a log of {}: it lacks '{}'", format.name, place);
  throw Error(ErrorKind::kUsage,
              "--log-format '{}': not in the log; use its headings, keys or column numbers", place);
}

void refuse_unknown(std::string_view line, const std::string& missing, const std::string& description) {
  throw Error(ErrorKind::kData,
              "{} has an unknown format: {}; explain it, as in --log-format '{}'; 'gpubench list "
              "log-formats' lists the "
              "tools",
              shown(line), missing, description);
}

PowerLog parse_power_log(const std::string& text, const PowerLogOptions& options) {
  LogBuilder builder(options);
  PowerLog log{kGpubench, true, {}, {}};
  if (text.starts_with(kRawLogHeader) || options.format == kGpubench) {
    gpubench_log::read(text, builder);
  } else {
    const bool is_json = json_reader::is_json(text);
    const LogFormat format = find_format(text, is_json, options.format);
    log = {format.name, false, {}, {}};
    const auto read = !format.lines.empty() ? line_reader::read
                      : is_json             ? json_reader::read
                                            : table_reader::read;
    read(text, format, builder);
  }
  builder.finish(log);
  return log;
}

PowerLog read_power_log(const std::string& path, const PowerLogOptions& options) {
  try {
    std::vector<std::string> notes;
    const std::string text = read_text(path, notes);
    PowerLog log = parse_power_log(text, options);
    log.notes.insert(log.notes.begin(), notes.begin(), notes.end());
    return log;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", path, error.what());
  }
}

}  // namespace gpubench
