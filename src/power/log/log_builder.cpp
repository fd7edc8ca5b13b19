#include "power/log/log_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/chrono.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::size_t kLongestShown = 60;
constexpr std::size_t kMostSamples = 10'000'000;
constexpr std::size_t kMostParts = 1024;
constexpr std::size_t kMostGuesses = 100'000;
constexpr double kLongestElapsed = 86400;

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

/// Returns true for readings of a counter: they never fall, and most of them rise.
bool is_counter(const std::vector<PowerSample>& samples) {
  constexpr std::size_t kFewest = 10;
  std::size_t rises = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double before = samples[i - 1].reading.power.value_or({0}).value;
    const double after = samples[i].reading.power.value_or({before}).value;
    if (after < before) return false;
    rises += after > before ? 1 : 0;
  }
  return samples.size() >= kFewest && 2 * rises > samples.size();
}

bool is_missing(const PowerSample& sample) {
  return !sample.reading.power.has_value() && !sample.reading.energy.has_value();
}

/// Returns true for "[N/A]", "[Not Supported]", "ERR!", "-" and the like.
bool is_no_value(std::string_view field) {
  constexpr std::array<std::string_view, 8> kTexts{"",     "-",    "N/A",         "ERR!",
                                                   "null", "None", "unavailable", "unknown"};
  return field.starts_with('[') || std::ranges::find(kTexts, field) != kTexts.end();
}

std::optional<std::string_view> find_value(const LogFormat& format, const LogRecord& record, LogRole role) {
  for (std::size_t i = 0; i < format.fields.size(); ++i)
    if (format.fields[i].role == role && record.values[i]) return trimmed(*record.values[i]);
  return std::nullopt;
}

/// Returns the time of a record. Its words may be in two fields. "FORMAT|": scripts may add another stamp.
Measured<Stamp> read_time(const LogFormat& format, const LogRecord& record) {
  std::string text;
  std::string how;
  for (std::size_t i = 0; i < format.fields.size(); ++i) {
    if (format.fields[i].role != LogRole::kTime || !record.values[i]) continue;
    text += (text.empty() ? "" : " ") + std::string(*record.values[i]);
    how = format.fields[i].detail;
  }
  const Measured<Stamp> stamp = parse_stamp(text, how.substr(0, how.find('|')));
  if (stamp.has_value()) return stamp;
  if (how.ends_with('|')) return parse_stamp(text);
  if (!format.lines.empty())
    refuse_line(record.line, "{} {}; correct or remove the line", shown(text), stamp.reason());
  return stamp;
}

/// Returns the time over which the log says that readings are averaged, in "ms" or "ns"; else 0.
Seconds read_averaging(const LogFormat& format, const LogRecord& record) {
  const auto field = std::ranges::find(format.fields, LogRole::kElapsed, &LogField::role);
  if (field == format.fields.end()) return Seconds{0};
  const double elapsed =
      parse_decimal(find_value(format, record, LogRole::kElapsed).value_or("")).value_or(0);
  const double seconds = elapsed * (field->detail == "ns" ? 1e-9 : 1e-3);
  if (seconds > 0 && seconds <= kLongestElapsed) return Seconds{seconds};
  refuse_line(record.line, "no elapsed time between 0 s and 1 day; remove this sample");
}

void add_details(const LogFormat& format, const LogRecord& record, PowerReading& reading) {
  const auto number = [&](LogRole role) {
    return parse_decimal(amount_in(find_value(format, record, role).value_or("")).digits);
  };
  if (const auto celsius = number(LogRole::kTemperature)) reading.temperature = Celsius{*celsius};
  if (const auto megahertz = number(LogRole::kClock)) reading.clock = Hertz{*megahertz * 1e6};
  if (const auto watts = number(LogRole::kLimit)) reading.limit = Watts{*watts};
}

/// Returns the GPU that a text names: an index, a UUID or a PCI address. Empty for other texts.
GpuIdentity read_gpu(std::string_view text) {
  GpuIdentity gpu{.index = gpu_index(text)};
  if (text.starts_with("GPU-")) gpu.uuid = text;
  if (text.find(':') != text.npos && text.find('.') != text.npos) gpu.pci_address = text;
  return gpu;
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
  // powermetrics writes a zero byte before each property list.
  line.remove_prefix(std::min(line.find_first_not_of('\0'), line.size()));
  if (std::ranges::any_of(line, is_control)) {
    refuse_line(number_, "is not text; save the log as UTF-8, or remove the damaged part");
  }
  line_ = trimmed(line);
  if (is_cut && builder_) builder_->leave_out_end();
  return !is_cut;
}

void LogBuilder::take(const LogFormat& format, const LogRecord& record) {
  const Measured<Stamp> stamp = read_time(format, record);
  if (!stamp.has_value()) return skip(record.line, record.text, stamp.reason());
  const Source source = find_source(format, record, stamp.value());
  const Seconds averaging = read_averaging(format, record);
  // Pages and blocks without devices have one reading per part.
  keeps_equal_ = keeps_equal_ || (!format.lines.empty() && !source.has_device);
  for (std::size_t i = 0; i < format.fields.size(); ++i) {
    const LogField& field = format.fields[i];
    if (field.role != LogRole::kPower || !record.values[i]) continue;
    const auto make_facts = [&] {
      PowerSourceFacts facts = field.facts;
      facts.meter = format.name;
      facts.power_quantity =
          field.place.find("instant") == std::string::npos ? "power" : "instantaneous power";
      if (averaging.value > 0) facts.averaging = averaging;
      if (facts.averaging.value > 0)
        facts.power_quantity += fmt::format(" averaged over {:.3g} s", facts.averaging.value);
      if (!source.part.empty()) facts.part = source.part;
      const bool is_rail = facts.scope == PowerScope::kGpuRail && facts.device.empty();
      if (is_rail || (facts.scope == PowerScope::kUnknown && !source.part.empty()))
        facts.scope = scope_of_name(facts.part, is_rail);
      if (is_rail && facts.scope == PowerScope::kGpuRail) facts.device = "cuda:0";
      if (is_rail && facts.scope == PowerScope::kCpuPackage) facts.device = "cpu";
      if (facts.scope == PowerScope::kGpuBoard && facts.gpu == GpuIdentity{}) {
        facts.gpu = source.gpu;
        const std::string& id = facts.gpu.uuid.empty() ? facts.gpu.pci_address : facts.gpu.uuid;
        if (facts.gpu.index)
          facts.part += fmt::format(" {}", *facts.gpu.index);
        else if (!id.empty())
          facts.part += " " + id;
        if (!source.name.empty()) facts.part += " " + source.name;
      }
      const bool is_host = !source.host.empty() && facts.gpu == GpuIdentity{};
      if (!source.host.empty()) facts.part = is_host ? source.host : source.host + " " + facts.part;
      return facts;
    };
    Measured<Watts> watts = read_watts(field, trimmed(*record.values[i]), record.line);
    // Property lists of old versions of macOS have energies.
    if (field.detail == "mJ" && watts.has_value()) watts = Watts{watts.value().value / averaging.value};
    PowerReading reading = power_reading(std::move(watts));
    if (field.facts.scope == PowerScope::kGpuBoard || field.facts.scope == PowerScope::kGpuRail)
      add_details(format, record, reading);
    add(source.key + field.facts.part, make_facts, {to_utc(stamp.value()), std::move(reading)}, record.line);
  }
}

LogBuilder::Source LogBuilder::find_source(const LogFormat& format, const LogRecord& record,
                                           const Stamp& stamp) {
  Source source;
  for (std::size_t i = 0; i < format.fields.size(); ++i) {
    const LogField& field = format.fields[i];
    if (!record.values[i]) continue;
    const std::string_view text = trimmed(*record.values[i]);
    if (field.role == LogRole::kDevice) {
      const GpuIdentity gpu = read_gpu(text);
      if (gpu == GpuIdentity{} && !field.is_guess)
        refuse_line(record.line, "{} is not the index of a GPU; correct or remove the line", shown(text));
      if (field.is_guess) add_guess(field, text, stamp);
      if (gpu.index) source.gpu.index = gpu.index;
      if (!gpu.uuid.empty()) source.gpu.uuid = gpu.uuid;
    }
    if (field.role == LogRole::kUuid) source.gpu.uuid = text;
    if (field.role == LogRole::kPci) source.gpu.pci_address = text;
    if (field.role == LogRole::kHost) source.host = text;
    if (field.role == LogRole::kPart) source.part = text;
    if (field.role == LogRole::kName) source.name = text;
  }
  source.has_device = source.gpu != GpuIdentity{};
  const std::string index = source.gpu.index ? std::to_string(*source.gpu.index) : "";
  source.key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", source.host, source.part, index, source.gpu.uuid,
                           source.gpu.pci_address, source.has_device ? "" : source.name);
  return source;
}

void LogBuilder::add_guess(const LogField& field, std::string_view text, const Stamp& stamp) {
  guess_ = field.place;
  if (guess_samples_.size() >= kMostGuesses) return;
  guessed_.emplace(text);
  // Unequal powers: each row counts as a reading of its own.
  guess_samples_.push_back({stamp.local, power_reading(Watts{static_cast<double>(guess_samples_.size())})});
}

void LogBuilder::check_guess() const {
  constexpr std::int64_t kMost = 64;
  const auto is_index = [](const std::string& text) {
    return read_gpu(text) != GpuIdentity{} && gpu_index(text).value_or(0) < kMost;
  };
  const bool is_single = guessed_.size() < 2 || readings_per_moment(guess_samples_) == guessed_.size();
  if (is_single && std::ranges::all_of(guessed_, is_index)) return;
  throw Error(
      ErrorKind::kData,
      "column '{}' does not tell devices apart: it has {} values, such as {}; describe the log: --log-format "
      "'time=COLUMN power=COLUMN:W'",
      guess_, guessed_.size(), shown(*guessed_.rbegin()));
}

Measured<Watts> LogBuilder::read_watts(const LogField& field, std::string_view text, std::size_t line) {
  if (is_no_value(text)) return missing(std::string(text.substr(0, 40)));
  const auto [digits, unit] = amount_in(text);
  const std::optional<double> number = parse_decimal(digits);
  const std::optional<double> own = watts_per_unit(unit);
  if (!number || (!unit.empty() && !own))
    refuse_line(line, "the power {} is not a number of watts; correct or remove the line", shown(text));
  const bool had_unit = has_unit_.try_emplace(field.place, own.has_value()).first->second;
  if (own.has_value() != had_unit) {
    refuse_line(line, "{} has {} unit, unlike the powers above; if another log follows here, split the file",
                shown(text), own ? "a" : "no");
  }
  if (own) return Watts{*number * *own};
  const std::optional<double> stated = field.detail == "mJ" ? 1e-3 : watts_per_unit(field.detail);
  if (!stated)
    refuse_line(line, "{} has no unit; state it: power={}:W in --log-format", shown(text), field.place);
  return Watts{*number * *stated};
}

Seconds LogBuilder::to_utc(const Stamp& stamp) {
  has_fractions_ = has_fractions_ || stamp.has_fraction;
  if (stamp.utc_offset) return stamp.local - *stamp.utc_offset;
  const Seconds offset = options_.utc_offset ? *options_.utc_offset : own_utc_offset(stamp.local);
  utc_offsets_.insert(offset.value);
  return stamp.local - offset;
}

void LogBuilder::add(const std::string& key, const std::function<PowerSourceFacts()>& facts,
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
        "state the unit: power=NAME:mW in --log-format",
        watts, shown(trace.facts.part), to_string(trace.facts.scope), highest);
  }
  sample.time = sample.time + options_.clock_offset;
  trace.samples.push_back(std::move(sample));
}

void LogBuilder::skip(std::size_t line, std::string_view text, const std::string& why) {
  if (skipped_++ == 0) first_skipped_ = fmt::format("line {}: {} {}", line, shown(text), why);
}

void LogBuilder::sort(PowerTrace& trace, bool is_coarse) {
  std::vector<PowerSample>& samples = trace.samples;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].time < samples[i - 1].time) ++unordered_;
  }
  // Sorting is slow, and nearly all logs are in order.
  const bool is_sorted = std::ranges::is_sorted(samples, {}, &PowerSample::time);
  if (!is_sorted) std::ranges::stable_sort(samples, {}, &PowerSample::time);
  if (keeps_equal_ && is_coarse) return spread(samples);
  if (const std::size_t count = readings_per_moment(samples); count > 1) {
    throw Error(
        ErrorKind::kData,
        "{} has {} readings per time stamp: no column identifies the device, or the stamps are too coarse; "
        "record with such a column, or name it: device=COLUMN or part=COLUMN in --log-format",
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

void LogBuilder::finish(PowerLog& log) {
  if (skipped_ > 0 && samples_ == 0) throw Error(ErrorKind::kData, "has no readings; {}", first_skipped_);
  const double most = std::max<double>(kMostSkipped, kMostSkippedShare * static_cast<double>(samples_));
  if (static_cast<double>(skipped_) > most) {
    throw Error(ErrorKind::kData, "{}; correct or remove the {} foreign lines beside {} readings",
                first_skipped_, skipped_, samples_);
  }
  check_guess();
  // Scripts that query GPUs one by one may write index 0 for each.
  for (PowerTrace& trace : traces_) {
    const auto is_other = [&](const PowerTrace& other) {
      return &other != &trace && other.facts.gpu.index == trace.facts.gpu.index &&
             other.facts.part == trace.facts.part;
    };
    if (!trace.facts.gpu.index || trace.facts.gpu.uuid.empty() || std::ranges::none_of(traces_, is_other))
      continue;
    for (PowerTrace& each : traces_) {
      each.facts.gpu.index.reset();
      each.facts.part += " " + each.facts.gpu.uuid;
    }
  }
  for (const PowerTrace& trace : traces_) {
    if (log.is_monotonic || !is_counter(trace.samples)) continue;
    throw Error(ErrorKind::kData,
                "{} never falls, so it is an energy or another counter, not a power; name another "
                "column in --log-format",
                shown(trace.facts.part));
  }
  const bool is_coarse = !log.is_monotonic && !has_fractions_;
  for (PowerTrace& trace : traces_) {
    sort(trace, is_coarse);
    empty_ += std::ranges::count_if(trace.samples, is_missing);
  }
  std::string why = "";
  for (const PowerTrace& trace : traces_)
    if (why.empty() && is_missing(trace.samples.front())) why = trace.samples.front().reading.power.reason();
  std::erase_if(traces_,
                [](const PowerTrace& trace) { return std::ranges::all_of(trace.samples, is_missing); });
  if (traces_.empty()) {
    throw Error(ErrorKind::kData, "no reading has a power{}; name a log that was recorded during the run",
                why.empty() ? "" : fmt::format(" (the tool reports {})", shown(why)));
  }
  add_notes(log.notes, is_coarse);
  log.traces = std::move(traces_);
}

void LogBuilder::add_notes(std::vector<std::string>& notes, bool is_coarse) const {
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

}  // namespace gpubench
