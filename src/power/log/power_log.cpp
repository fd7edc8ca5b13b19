#include "power/log/power_log.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <utf8proc.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/outside_file.h"
#include "gpubench/core/units.h"

namespace gpubench {
namespace {

using namespace std::string_view_literals;

constexpr std::array kArchiveMarks{"\x1f\x8b"sv,
                                   "\xfd"
                                   "7zXZ\0"sv,
                                   "BZh"sv, "\x28\xb5\x2f\xfd"sv};

bool is_archive(std::string_view bytes) {
  for (const std::string_view mark : kArchiveMarks) {
    if (bytes.starts_with(mark)) return true;
  }
  return false;
}

std::string unpacked(const std::string& bytes, Bytes most) {
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
    if (static_cast<std::int64_t>(text.size()) > most.value) {
      throw Error(ErrorKind::kData,
                  "is larger than 256 MiB when decompressed; cut it to the time of the run");
    }
  }
}

void append_code_point(std::string& text, utf8proc_int32_t code) {
  std::array<utf8proc_uint8_t, 4> encoded{};
  const utf8proc_ssize_t size = utf8proc_encode_char(code, encoded.data());
  text.append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size));
}

bool is_utf8(std::string_view text) {
  const auto* next = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t size = utf8proc_iterate(next, left, &code);
    if (size <= 0) return false;
    next += size;
    left -= size;
  }
  return true;
}

enum class Utf16 { kNo, kLittleEndian, kBigEndian };

/// By its mark, or by the zero halves of two ASCII characters at its begin.
Utf16 utf16_order(std::string_view text) {
  if (text.starts_with("\xff\xfe"sv)) return Utf16::kLittleEndian;
  if (text.starts_with("\xfe\xff"sv)) return Utf16::kBigEndian;
  if (text.size() < 4 || (text[0] == 0) != (text[2] == 0) || (text[1] == 0) != (text[3] == 0))
    return Utf16::kNo;
  if ((text[0] == 0) == (text[1] == 0)) return Utf16::kNo;
  return text[1] == 0 ? Utf16::kLittleEndian : Utf16::kBigEndian;
}

std::string utf8_from_utf16(std::string_view text, Utf16 order) {
  const std::size_t low = order == Utf16::kLittleEndian ? 0 : 1;
  const auto unit = [&](std::size_t at) {
    const auto byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
    return static_cast<utf8proc_int32_t>(byte(at + low) | byte(at + 1 - low) << 8);
  };
  std::string result;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    utf8proc_int32_t code = unit(at);
    const bool is_first_half = code >= 0xd800 && code < 0xdc00;
    if (is_first_half && at + 3 < text.size()) {
      code = 0x10000 + ((code - 0xd800) << 10) + ((unit(at + 2) - 0xdc00) & 0x3ff);
      at += 2;
    }
    append_code_point(result, utf8proc_codepoint_valid(code) ? code : 0xfffd);
  }
  return result;
}

std::string utf8_from_latin1(std::string_view text) {
  std::string result;
  for (const char character : text) append_code_point(result, static_cast<unsigned char>(character));
  return result;
}

/// Unpacks gzip, xz, bzip2 and zstd, and turns UTF-16 and Latin-1 into UTF-8; adds a note for each of these.
/// A byte-order mark is dropped. Throws a data Error for a damaged archive, and for text of more than `most`.
std::string decoded_text(std::string bytes, Bytes most, std::vector<std::string>& notes) {
  std::string text = std::move(bytes);
  if (is_archive(text)) {
    text = unpacked(text, most);
    notes.emplace_back("the file was decompressed");
  }
  if (const Utf16 order = utf16_order(text); order != Utf16::kNo) {
    text = utf8_from_utf16(text, order);
    notes.emplace_back("the text was read as UTF-16");
  } else if (!is_utf8(text)) {
    text = utf8_from_latin1(text);
    notes.emplace_back("the text was read as Latin-1, since it is not UTF-8");
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

constexpr Bytes kLargestLog{std::int64_t{256} << 20};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::kData, what); }

std::string to_text(const std::string& path, std::vector<std::string>& notes) {
  Measured<std::string> found = read_outside_file(path, kLargestLog);
  if (!found.has_value()) refuse(found.reason() + "; name a log of power, cut to the time of the run");
  std::string text = decoded_text(std::move(found).value(), kLargestLog, notes);
  if (text.empty()) refuse("is empty; record it again (see docs/power-logs.md)");
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

PowerLog parse_power_log(const std::string& text, const PowerLogFormat& format,
                         const PowerLogOptions& options) {
  PowerLog log{format.name, format.is_monotonic, {}, {}};
  TraceCollector collector(options);
  format.collect(text, collector);
  collector.finish(log);
  return log;
}

PowerLog read_power_log(const std::string& path, const PowerLogOptions& options) {
  try {
    std::vector<std::string> notes;
    const std::string text = to_text(path, notes);
    PowerLog log = parse_power_log(text, find_format(text, options.format), options);
    log.notes.insert(log.notes.begin(), notes.begin(), notes.end());
    return log;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", path, error.what());
  }
}

}  // namespace gpubench
