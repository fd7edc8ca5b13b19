#include "power/log/trace_collector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <set>

#include <fmt/chrono.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::size_t kLongestShown = 60;
constexpr std::size_t kMostSamples = 10'000'000;
constexpr std::size_t kMostParts = 1024;
constexpr double kQuarterHour = 900;  // All zones change at one.

/// A few lines of a driver or a scheduler get into a log; of more than these the log is something else.
constexpr std::size_t kMostSkipped = 20;
constexpr double kMostSkippedShare = 0.1;

/// Readings of a sensor in groups: the gaps within are below a third of those between.
constexpr double kGroupGap = 1.0 / 3;
constexpr double kLongGap = 0.97;  // Quantile of the gaps; within groups of up to 32 it is one between them.
constexpr double kSameSize = 0.8;  // Share of the groups that have the usual size.
constexpr double kUnequalShare = 0.1;  // Share of the groups whose stamps or readings differ.
constexpr std::size_t kFewestGroups = 3;

/// Returns a generous limit: GB200 1.2 kW and MI355X 1.4 kW a board, a server 15 kW, a rack 130 kW.
double highest_watts(PowerScope scope) {
  if (scope == PowerScope::kGpuBoard || scope == PowerScope::kSoc) return 2500;
  if (scope == PowerScope::kGpuRail || scope == PowerScope::kCpuPackage) return 1500;
  if (scope == PowerScope::kDram || scope == PowerScope::kBattery) return 1000;
  return scope == PowerScope::kSystem ? 200e3 : 50e3;
}

/// Returns the number of sensors that a part seems to have: the usual size of groups of unequal readings.
std::size_t readings_per_moment(const std::vector<PowerSample>& samples) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    gaps.push_back((samples[i].time - samples[i - 1].time).value);
  }
  if (gaps.empty()) return 1;
  std::vector<double> ordered = gaps;
  std::ranges::sort(ordered);
  const double longest = ordered[static_cast<std::size_t>(kLongGap * static_cast<double>(ordered.size()))];
  std::map<std::size_t, std::size_t> sizes;
  std::size_t groups = 0;
  std::size_t unequal = 0;
  std::size_t size = 1;
  bool differs = false;  // A line written twice is equal in stamp and power.
  for (std::size_t i = 0; i <= gaps.size(); ++i) {
    const bool is_end = i == gaps.size() || (gaps[i] > 0 && gaps[i] >= kGroupGap * longest);
    if (!is_end) {
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
  const auto all = static_cast<double>(groups);
  const bool is_regular = groups >= kFewestGroups && static_cast<double>(count) >= kSameSize * all;
  return is_regular && static_cast<double>(unequal) >= kUnequalShare * all ? usual : 1;
}

/// Returns this machine's offset at that local time (local minus UTC); one of two if ambiguous.
Seconds own_utc_offset(Seconds local) {
  const auto seconds = static_cast<std::time_t>(std::floor(local.value));
  std::tm parts = fmt::gmtime(seconds);
  parts.tm_isdst = -1;
  return Seconds{static_cast<double>(seconds - std::mktime(&parts))};
}

/// Formats "+01:00".
std::string utc_offset_text(Seconds offset) {
  const auto minutes = static_cast<int>(std::abs(offset.value) / 60);
  return fmt::format("{}{:02}:{:02}", offset.value < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

bool is_missing(const PowerSample& sample) {
  return !sample.reading.power.has_value() && !sample.reading.energy.has_value();
}

/// Digits may be missing at the end of an open line, but not before a unit or a bracket.
bool is_complete(std::string_view line) {
  constexpr std::array<std::string_view, 8> kEnds{" W", "mW", "MHz", "MiB", "%", "]", "}", "***"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return line.ends_with(end); });
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
  refuse_line(line, "{}: {}; correct or remove the line", shown(text), stamp.reason());
}

PowerReading blank_reading() {
  const Missing none = missing("not in the log");
  return {none, none, none, none, none, ""};
}

bool TextLines::next() {
  if (rest_.empty()) return false;
  ++number_;
  const std::size_t end = rest_.find('\n');
  const bool is_open = end == std::string_view::npos;
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(is_open ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kLongestLine) refuse_line(number_, "is longer than 64 KiB; name a log of power");
  if (std::ranges::any_of(line, is_control)) {
    refuse_line(number_, "is no text; save the log as UTF-8 text, or cut the broken part out");
  }
  line_ = trimmed(line);
  if (!is_open || line_.empty() || is_complete(line_)) return true;
  if (collector_) collector_->leave_out_end();
  return false;
}

Seconds TraceCollector::to_utc(const Stamp& stamp) {
  has_fractions_ = has_fractions_ || stamp.has_fraction;
  if (stamp.utc_offset) return corrected(stamp.local - *stamp.utc_offset);
  const auto [entry, is_new] = utc_offsets_.try_emplace(std::floor(stamp.local.value / kQuarterHour));
  if (is_new) entry->second = options_.utc_offset ? *options_.utc_offset : own_utc_offset(stamp.local);
  return corrected(stamp.local - entry->second);
}

std::vector<Seconds> TraceCollector::refine(const std::vector<CoarseStamp>& stamps) {
  constexpr double kResolution = 1;
  struct Bounds {
    double low;
    double high;
  };
  std::vector<Bounds> bounds;  // Of the moment at which each stamp was made.
  for (const auto& [time, elapsed] : stamps) {
    const Bounds own{time.value, time.value + kResolution};
    const Bounds above = bounds.empty() ? own : bounds.back();
    const Bounds next{above.low + elapsed.value, above.high + elapsed.value};
    const bool is_gap = next.low > own.high + kResolution || next.high < own.low - kResolution;
    const bool is_chained = !bounds.empty() && !is_gap;
    bounds.push_back(
        is_chained ? Bounds{std::clamp(next.low, own.low, own.high), std::clamp(next.high, own.low, own.high)}
                   : own);
  }
  // Back from the last one, whose bounds contain what all those above add.
  double wanted = (bounds.back().low + bounds.back().high) / 2;
  note(fmt::format("stamps have whole seconds: times may be off by {:.2f} s",
                   (bounds.back().high - bounds.back().low) / 2));
  has_fractions_ = true;
  std::vector<Seconds> times(stamps.size());
  for (std::size_t i = stamps.size(); i-- > 0;) {
    times[i] = Seconds{std::clamp(wanted, bounds[i].low, bounds[i].high)};
    wanted = times[i].value - stamps[i].elapsed.value;
  }
  return times;
}

void TraceCollector::add(const std::string& key, const std::function<PowerSourceFacts()>& facts,
                         PowerSample sample, std::size_t line) {
  const auto [entry, is_new] = index_.try_emplace(key, traces_.size());
  if (is_new) traces_.push_back({facts(), {}});
  if (traces_.size() > kMostParts) refuse_line(line, "has one part more than the 1,024 that a log may have");
  if (++samples_ > kMostSamples) {
    refuse_line(line, "has one reading more than the 10 million that are read; cut the log to the run");
  }
  PowerTrace& trace = traces_[entry->second];
  const Measured<Watts>& power = sample.reading.power;
  const double highest = highest_watts(trace.facts.scope);
  if (power.has_value() && power.value().value > highest) {
    refuse_line(
        line,
        "{:.6g} W is more than {} of scope {} takes (at most {:.6g} W); correct or remove the line, or "
        "say --power-column NAME:mW if the column has milliwatts",
        power.value().value, shown(trace.facts.part), to_string(trace.facts.scope), highest);
  }
  trace.samples.push_back(std::move(sample));
}

void TraceCollector::skip(std::size_t line, std::string_view text, const std::string& why) {
  if (skipped_++ == 0) first_skipped_ = fmt::format("line {}: {} {}", line, shown(text), why);
}

void TraceCollector::sort(PowerTrace& trace) {
  std::vector<PowerSample>& samples = trace.samples;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].time < samples[i - 1].time) ++unordered_;
  }
  // Sorting moves every sample, and nearly all logs are in order.
  const bool is_sorted = std::ranges::is_sorted(samples, {}, &PowerSample::time);
  if (!is_sorted) std::ranges::stable_sort(samples, {}, &PowerSample::time);
  if (const std::size_t count = readings_per_moment(samples); count > 1) {
    throw Error(ErrorKind::kData,
                "{} has {} readings at each moment: several GPUs that no column tells apart, or stamps "
                "coarser than the readings; record with a column that names the GPU, such as "
                "--query-gpu=timestamp,index,uuid,power.draw",
                shown(trace.facts.part), count);
  }
  const std::size_t before = samples.size();
  // From the back, since the last of equal stamps counts.
  const auto is_repeated = [](const PowerSample& a, const PowerSample& b) { return a.time == b.time; };
  const auto first = std::unique(samples.rbegin(), samples.rend(), is_repeated);
  samples.erase(samples.begin(), first.base());
  repeated_ += before - samples.size();
}

void TraceCollector::finish(PowerLog& log) {
  if (skipped_ > 0 && samples_ == 0) throw Error(ErrorKind::kData, "has no readings; {}", first_skipped_);
  const double most = std::max<double>(kMostSkipped, kMostSkippedShare * static_cast<double>(samples_));
  if (static_cast<double>(skipped_) > most) {
    throw Error(ErrorKind::kData, "{}; {} lines like this beside {} readings: correct or remove them",
                first_skipped_, skipped_, samples_);
  }
  // Stamps of whole seconds were cut off: on average the reading is half a second younger.
  const bool is_coarse = !log.is_monotonic && !has_fractions_;
  std::size_t missing = 0;
  for (PowerTrace& trace : traces_) {
    sort(trace);
    for (PowerSample& sample : trace.samples) sample.time = sample.time + Seconds{is_coarse ? 0.5 : 0};
    missing += static_cast<std::size_t>(std::ranges::count_if(trace.samples, is_missing));
  }
  std::set<double> offsets;
  for (const auto& [quarter, offset] : utc_offsets_) offsets.insert(offset.value);
  const auto zones = mapped(offsets, [](double offset) { return "UTC" + utc_offset_text({offset}); });
  const auto note_if = [&log](bool is_true, std::string text) {
    if (is_true) log.notes.push_back(std::move(text));
  };
  note_if(is_cut_, "the last line has no end and was left out");
  note_if(!zones.empty(), fmt::format("stamps without a time zone were read as {}{}", join(zones),
                                      options_.utc_offset ? "" : ", this machine's local time"));
  append(log.notes, notes_);
  note_if(is_coarse && samples_ > 0, "stamps have whole seconds: times may be off by 0.5 s");
  note_if(skipped_ > 0,
          fmt::format("lines that are not readings, skipped: {}; the first is {}", skipped_, first_skipped_));
  note_if(unordered_ > 0, fmt::format("sorted: {} stamps are before the one above", unordered_));
  note_if(repeated_ > 0, fmt::format("{} stamps occur again; the last reading of each counts", repeated_));
  note_if(missing > 0, fmt::format("{} of {} readings have no value", missing, samples_ - repeated_));
  std::erase_if(traces_,
                [](const PowerTrace& trace) { return std::ranges::all_of(trace.samples, is_missing); });
  if (traces_.empty()) {
    throw Error(ErrorKind::kData, "has no reading with a power; name a log that was recorded during the run");
  }
  log.traces = std::move(traces_);
}

PowerLog parse_power_log(const std::string& text, const PowerLogFormat& format,
                         const PowerLogOptions& options) {
  PowerLog log{format.name, format.is_monotonic, {}, {}};
  TraceCollector collector(options);
  format.collect(text, collector);
  collector.finish(log);
  return log;
}

}  // namespace gpubench
