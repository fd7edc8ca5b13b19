// Reads a log file: decompresses, decodes, detects the format, collects the readings and checks them.

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <memory>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/chrono.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "power/log/power_log.h"
#include "power/log/trace_collector.h"

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

/// Decodes little-endian UTF-16, which PowerShell writes; replaces all but ASCII characters.
std::string ascii_from_utf16(std::string_view text) {
  std::string result;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    result += text[at + 1] == 0 && is_ascii(text[at]) ? text[at] : kUnknown;
  }
  return result;
}

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
  if (begins("\xff\xfe")) {
    text = ascii_from_utf16(text);
    notes.emplace_back("the text was read as UTF-16");
  } else if (!is_utf8(text)) {
    std::ranges::replace_if(text, std::not_fn(is_ascii), kUnknown);
    notes.emplace_back("the text was read as Latin-1, since it is not UTF-8");
  }
  if (begins("\xef\xbb\xbf")) text.erase(0, 3);
  if (text.empty()) throw Error(ErrorKind::kData, "is empty; record it again (see docs/energy.md)");
  return text;
}

const PowerLogFormat& find_format(const std::string& text, const std::string& name) {
  if (name != "auto") return power_log_formats().require(name, "--format");
  for (const PowerLogFormat& format : power_log_formats()) {
    if (format.is_like(text)) return format;
  }
  throw Error(ErrorKind::kData, "no line has a time and a power; use a format of docs/energy.md");
}

constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::size_t kLongestShown = 60;
constexpr std::size_t kMostSamples = 10'000'000;
constexpr std::size_t kMostParts = 1024;

/// Most foreign lines, such as messages of a driver or a scheduler. With more the file is not a power log.
constexpr std::size_t kMostSkipped = 20;
constexpr double kMostSkippedShare = 0.1;

/// Longest gap within a group of readings of one moment, relative to the gap between groups.
constexpr double kGroupGap = 1.0 / 3;
constexpr double kLongGap = 0.97;      // Quantile of the gaps that lies between groups of up to 32 readings.
constexpr double kSameSize = 0.8;      // Least share of the groups that have the usual size.
constexpr double kUnequalShare = 0.1;  // Least share of the groups whose stamps or readings differ.
constexpr double kFewestGroups = 3;

/// Returns a generous limit. Known maxima: MI355X 1.4 kW per board, server 15 kW, rack 130 kW.
double highest_watts(PowerScope scope) {
  if (scope == PowerScope::kGpuBoard || scope == PowerScope::kSoc) return 2500;
  if (scope == PowerScope::kGpuRail || scope == PowerScope::kCpuPackage) return 1500;
  if (scope == PowerScope::kDram || scope == PowerScope::kBattery) return 1000;
  return scope == PowerScope::kSystem ? 200e3 : 50e3;
}

/// Returns the apparent number of sensors of a part: the usual size of groups of unequal readings.
std::size_t readings_per_moment(const std::vector<PowerSample>& samples) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    gaps.push_back((samples[i].time - samples[i - 1].time).value);
  }
  if (gaps.empty()) return 1;
  const double least = kGroupGap * compute_quantile(gaps, kLongGap);
  std::map<std::size_t, double> sizes;
  double groups = 0;
  double unequal = 0;
  std::size_t size = 1;
  bool differs = false;  // A line written twice is equal in stamp and power.
  for (std::size_t i = 0; i <= gaps.size(); ++i) {
    if (i < gaps.size() && (gaps[i] == 0 || gaps[i] < least)) {
      ++size;
      differs = differs || gaps[i] > 0 || samples[i + 1].reading.power != samples[i].reading.power;
      continue;
    }
    ++sizes[std::exchange(size, 1)];
    ++groups;
    if (std::exchange(differs, false)) ++unequal;
  }
  const auto is_rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [usual, count] = *std::ranges::max_element(sizes, is_rarer);
  const bool is_regular = groups >= kFewestGroups && count >= kSameSize * groups;
  return is_regular && unequal >= kUnequalShare * groups ? usual : 1;
}

/// Spreads readings with the same stamp of whole seconds over the second; moves a single one to its middle.
void spread(std::vector<PowerSample>& samples) {
  for (auto next = samples.begin(); next != samples.end();) {
    const Seconds begin = next->time;
    const auto end = std::ranges::find_if(next, samples.end(),
                                          [&](const PowerSample& sample) { return sample.time != begin; });
    const auto count = static_cast<double>(end - next);
    for (double i = 0.5; next != end; ++next, ++i) next->time = begin + Seconds{i / count};
  }
}

/// Returns this machine's UTC offset at a local time; one of two if ambiguous.
Seconds own_utc_offset(Seconds local) {
  const auto seconds = static_cast<std::time_t>(std::floor(local.value));
  std::tm parts = fmt::gmtime(seconds);
  parts.tm_isdst = -1;
  return Seconds{static_cast<double>(seconds - std::mktime(&parts))};
}

/// Formats "UTC+01:00".
std::string zone_text(double offset) {
  const auto minutes = static_cast<int>(std::abs(offset) / 60);
  return fmt::format("UTC{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

bool is_missing(const PowerSample& sample) {
  return !sample.reading.power.has_value() && !sample.reading.energy.has_value();
}

}  // namespace

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\t') || code == 0x7f;
}

std::string shown(std::string_view text) {
  std::string part(text.substr(0, kLongestShown));
  std::ranges::replace_if(part, is_control, '?');
  return "'" + part + (text.size() > kLongestShown ? "...'" : "'");
}

Stamp require_stamp(std::string_view text, std::size_t line) {
  const Measured<Stamp> stamp = parse_stamp(text);
  if (stamp.has_value()) return stamp.value();
  refuse_line(line, "{} {}; correct or remove the line", shown(text), stamp.reason());
}

PowerReading power_reading(Measured<Watts> power) {
  const Missing none = missing("not in the log");
  return {none, std::move(power), none, none, none, ""};
}

bool TextLines::next() {
  if (rest_.empty()) return false;
  ++number_;
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  const bool is_cut = end == std::string_view::npos;
  rest_.remove_prefix(is_cut ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kLongestLine) refuse_line(number_, "longer than 64 KiB; name a power log");
  if (std::ranges::any_of(line, is_control)) {
    refuse_line(number_, "is not text; save the log as UTF-8, or remove the damaged part");
  }
  line_ = trimmed(line);
  if (is_cut && collector_) collector_->leave_out_end();
  return !is_cut;
}

Seconds TraceCollector::to_utc(const Stamp& stamp) {
  has_fractions_ = has_fractions_ || stamp.has_fraction;
  if (stamp.utc_offset) return stamp.local - *stamp.utc_offset;
  const Seconds offset = options_.utc_offset ? *options_.utc_offset : own_utc_offset(stamp.local);
  utc_offsets_.insert(offset.value);
  return stamp.local - offset;
}

void TraceCollector::add(const std::string& key, const std::function<PowerSourceFacts()>& facts,
                         PowerSample sample, std::size_t line) {
  const auto [entry, is_new] = index_.try_emplace(key, traces_.size());
  if (is_new) {
    traces_.push_back({facts(), {}});
    traces_.back().facts.is_replayed = true;
  }
  if (traces_.size() > kMostParts || ++samples_ > kMostSamples) {
    refuse_line(line, "more than 1,024 parts or 10 million readings; cut the log to the time of the run");
  }
  PowerTrace& trace = traces_[entry->second];
  const double watts = sample.reading.power.value_or({0}).value;
  const double highest = highest_watts(trace.facts.scope);
  if (watts < 0) refuse_line(line, "{:.6g} W is negative; correct or remove the line", watts);
  if (watts > highest) {
    refuse_line(
        line,
        "{:.6g} W is implausible for {} of scope {} (maximum {:.6g} W); correct or remove the line, or "
        "use --power-column NAME:mW if the column is in milliwatts",
        watts, shown(trace.facts.part), to_string(trace.facts.scope), highest);
  }
  sample.time = sample.time + options_.clock_offset;
  trace.samples.push_back(std::move(sample));
}

void TraceCollector::skip(std::size_t line, std::string_view text, const std::string& why) {
  if (skipped_++ == 0) first_skipped_ = fmt::format("line {}: {} {}", line, shown(text), why);
}

void TraceCollector::sort(PowerTrace& trace, bool is_coarse) {
  std::vector<PowerSample>& samples = trace.samples;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].time < samples[i - 1].time) ++unordered_;
  }
  // Sorting is slow, and nearly all logs are in order.
  const bool is_sorted = std::ranges::is_sorted(samples, {}, &PowerSample::time);
  if (!is_sorted) std::ranges::stable_sort(samples, {}, &PowerSample::time);
  if (keeps_equal_ && is_coarse) return spread(samples);
  if (const std::size_t count = readings_per_moment(samples); count > 1) {
    throw Error(ErrorKind::kData,
                "{} has {} readings per time stamp: no column identifies the GPU, or the stamps are too "
                "coarse; record with --query-gpu=timestamp,index,uuid,power.draw or similar columns",
                shown(trace.facts.part), count);
  }
  const std::size_t before = samples.size();
  // Backwards, to keep the last of equal stamps.
  const auto is_repeated = [](const PowerSample& a, const PowerSample& b) { return a.time == b.time; };
  const auto first = std::unique(samples.rbegin(), samples.rend(), is_repeated);
  samples.erase(samples.begin(), first.base());
  repeated_ += before - samples.size();
  if (is_coarse) spread(samples);
}

void TraceCollector::finish(PowerLog& log) {
  if (skipped_ > 0 && samples_ == 0) throw Error(ErrorKind::kData, "has no readings; {}", first_skipped_);
  const double most = std::max<double>(kMostSkipped, kMostSkippedShare * static_cast<double>(samples_));
  if (static_cast<double>(skipped_) > most) {
    throw Error(ErrorKind::kData, "{}; correct or remove the {} foreign lines beside {} readings",
                first_skipped_, skipped_, samples_);
  }
  const bool is_coarse = !log.is_monotonic && !has_fractions_;
  for (PowerTrace& trace : traces_) {
    sort(trace, is_coarse);
    empty_ += std::ranges::count_if(trace.samples, is_missing);
  }
  std::erase_if(traces_,
                [](const PowerTrace& trace) { return std::ranges::all_of(trace.samples, is_missing); });
  if (traces_.empty()) {
    throw Error(ErrorKind::kData, "no reading has a power; name a log that was recorded during the run");
  }
  add_notes(log.notes, is_coarse);
  log.traces = std::move(traces_);
}

void TraceCollector::add_notes(std::vector<std::string>& notes, bool is_coarse) const {
  const auto note_if = [&notes](bool is_true, std::string text) {
    if (is_true) notes.push_back(std::move(text));
  };
  note_if(is_cut_, "the incomplete last line was ignored");
  note_if(!utc_offsets_.empty(),
          fmt::format("time stamps without a zone were read as {}{}", join(mapped(utc_offsets_, zone_text)),
                      options_.utc_offset ? "" : ", this machine's local time"));
  note_if(is_coarse, "time stamps are whole seconds: times may be off by 0.5 s");
  note_if(skipped_ > 0,
          fmt::format("lines without a reading, skipped: {}; the first: {}", skipped_, first_skipped_));
  note_if(unordered_ > 0, fmt::format("time stamps out of order, sorted: {}", unordered_));
  note_if(repeated_ > 0,
          fmt::format("repeated time stamps, the last reading of each is used: {}", repeated_));
  note_if(empty_ > 0, fmt::format("readings without a value: {} of {}", empty_, samples_ - repeated_));
}

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
