#include "power/log/power_log.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include <archive.h>
#include <archive_entry.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/core/units.h"

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
    throw Error(ErrorKind::kData, "cannot be decompressed ({}); decompress it by hand",
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
      throw Error(ErrorKind::kData,
                  "is larger than 256 MiB when decompressed; cut it to the time of the run");
    }
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!is_valid(character)) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

constexpr char kUnknown = '?';

bool is_ascii(char character) { return static_cast<unsigned char>(character) < 0x80; }

/// Decodes the ASCII characters of little-endian UTF-16, as PowerShell writes it.
std::string ascii_from_utf16(std::string_view text) {
  std::string result;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    result += text[at + 1] == 0 && is_ascii(text[at]) ? text[at] : kUnknown;
  }
  return result;
}

/// Reads UTF-8 without byte-order mark. Unpacks gzip, xz, bzip2 and zstd; keeps UTF-16's ASCII. Adds notes.
std::string read_text(const std::string& path, std::vector<std::string>& notes) {
  Measured<std::string> found = read_outside_file(path, kLargestLog);
  if (!found.has_value()) {
    throw Error(ErrorKind::kData, "{}; name a log of power, cut to the time of the run", found.reason());
  }
  std::string text = std::move(found).value();
  const auto begins = [&](std::string_view mark) { return text.starts_with(mark); };
  if (std::ranges::any_of(kArchiveMarks, begins)) {
    text = unpacked(text);
    notes.emplace_back("the file was decompressed");
  }
  if (begins("\xff\xfe")) {
    text = ascii_from_utf16(text);
    notes.emplace_back("the text was read as UTF-16");
  } else if (!is_utf8(text)) {
    std::ranges::replace_if(text, std::not_fn(is_ascii), kUnknown);
    notes.emplace_back("the text was read as Latin-1, since it is not UTF-8");
  }
  if (begins("\xef\xbb\xbf")) text.erase(0, 3);
  if (text.empty()) throw Error(ErrorKind::kData, "is empty; record it again (see docs/power-logs.md)");
  return text;
}

const PowerLogFormat& find_format(const std::string& text, const std::string& name) {
  if (name != "auto") return power_log_formats().require(name, "--format");
  for (const PowerLogFormat& format : power_log_formats()) {
    if (format.is_like(text)) return format;
  }
  throw Error(ErrorKind::kData,
              "has no lines with a time and a power; see docs/power-logs.md for what can be read");
}

}  // namespace

PowerLog read_power_log(const std::string& path, const PowerLogOptions& options) {
  try {
    std::vector<std::string> notes;
    const std::string text = read_text(path, notes);
    PowerLog log = parse_power_log(text, find_format(text, options.format), options);
    log.notes.insert(log.notes.begin(), notes.begin(), notes.end());
    return log;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", path, error.what());
  }
}

}  // namespace gpubench
