#include "power/log/trace_collector.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "power/log/text_lines.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostSamples = 10'000'000;
constexpr std::size_t kMostParts = 1024;
constexpr double kQuarterHour = 900;  // All zones change at one.

/// A few lines of a driver or a scheduler get into a log; of more than these the log is something else.
constexpr std::size_t kMostSkipped = 20;
constexpr double kMostSkippedShare = 0.1;

/// Highest power that anything of a scope takes, with room to spare: GB200 1.2 kW and MI355X 1.4 kW a board,
/// a server of eight of them 15 kW, a rack of 72 GPUs 130 kW.
double highest_watts(PowerScope scope) {
  switch (scope) {
    case PowerScope::kGpuBoard:
    case PowerScope::kSoc:
      return 2500;
    case PowerScope::kGpuRail:
    case PowerScope::kCpuPackage:
      return 1500;
    case PowerScope::kDram:
    case PowerScope::kBattery:
      return 1000;
    case PowerScope::kSystem:
      return 200e3;
    case PowerScope::kUnknown:
      break;
  }
  return 50e3;
}

/// Readings of a sensor in bursts: the gaps within are below a third of those between.
constexpr double kBurstGap = 1.0 / 3;
constexpr double kLongGap = 0.97;  // Quantile of the gaps; within bursts of up to 32 it is one between them.
constexpr double kSameSize = 0.8;  // Share of the bursts that have the usual size.
constexpr double kUnequalShare = 0.1;  // Share of the bursts whose stamps or readings differ.
constexpr std::size_t kFewestBursts = 3;

struct Burst {
  std::size_t size = 1;
  bool is_unequal = false;  ///< In stamps or readings; a line written twice is equal in both.
};

std::vector<Burst> find_bursts(const std::vector<PowerSample>& samples) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    gaps.push_back(samples[i].time.value - samples[i - 1].time.value);
  }
  if (gaps.empty()) return {};
  std::vector<double> ordered = gaps;
  std::ranges::sort(ordered);
  const auto place = static_cast<std::size_t>(kLongGap * static_cast<double>(ordered.size()));
  const double longest = ordered[std::min(place, ordered.size() - 1)];
  std::vector<Burst> bursts(1);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (gaps[i] > 0 && gaps[i] >= kBurstGap * longest) {
      bursts.emplace_back();
      continue;
    }
    ++bursts.back().size;
    if (gaps[i] > 0 || samples[i + 1].reading.power != samples[i].reading.power)
      bursts.back().is_unequal = true;
  }
  return bursts;
}

/// Returns how many sensors, or more readings than its stamps tell apart, a part seems to have: 1 for one.
std::size_t readings_per_moment(const std::vector<PowerSample>& samples) {
  std::vector<Burst> bursts = find_bursts(samples);
  std::map<std::size_t, std::size_t> sizes;
  std::size_t unequal = 0;
  for (const Burst& burst : bursts) {
    ++sizes[burst.size];
    if (burst.is_unequal) ++unequal;
  }
  const auto is_rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
  if (sizes.empty()) return 1;
  const auto [usual, count] = *std::ranges::max_element(sizes, is_rarer);
  const auto total = static_cast<double>(bursts.size());
  const bool differs = static_cast<double>(unequal) >= kUnequalShare * total;
  const bool is_regular = bursts.size() >= kFewestBursts && static_cast<double>(count) >= kSameSize * total;
  if (usual > 1 && differs && is_regular) return usual;
  // Bursts of changing size, as of stamps that are coarser than the readings.
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const bool is_equal = samples[i].reading.power == samples[i - 1].reading.power;
    if (samples[i].time == samples[i - 1].time && !is_equal) ++repeated;
  }
  const bool is_often = static_cast<double>(repeated) >= kUnequalShare * static_cast<double>(samples.size());
  return repeated >= kFewestBursts && is_often ? std::max<std::size_t>(usual, 2) : 1;
}

bool is_missing(const PowerSample& sample) {
  return !sample.reading.power.has_value() && !sample.reading.energy.has_value();
}

}  // namespace

PowerReading blank_reading() {
  const Missing none = missing("not in the log");
  return {none, none, none, none, none, ""};
}

Seconds TraceCollector::offset_at(Seconds local) {
  if (options_.utc_offset) return *options_.utc_offset;
  const auto [entry, is_new] = own_offsets_.try_emplace(std::floor(local.value / kQuarterHour));
  if (is_new) entry->second = own_utc_offset(local);
  return entry->second;
}

Seconds TraceCollector::to_utc(const Stamp& stamp) {
  has_fractions_ = has_fractions_ || stamp.has_fraction;
  if (stamp.utc_offset) return mended(stamp.local - *stamp.utc_offset);
  const Seconds offset = offset_at(stamp.local);
  used_offsets_.insert(offset.value);
  return mended(stamp.local - offset);
}

std::string TraceCollector::zone_note() const {
  const auto texts = mapped(used_offsets_, [](double offset) { return "UTC" + utc_offset_text({offset}); });
  return fmt::format("stamps without a time zone were read as {}{}", join(texts),
                     options_.utc_offset ? "" : ", this machine's local time");
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
    refuse_line(line, "{:.6g} W is more than {} of scope {} takes (at most {:.6g} W); {}",
                power.value().value, shown(trace.facts.part), to_string(trace.facts.scope), highest,
                unit_hint_);
  }
  trace.samples.push_back(std::move(sample));
}

void TraceCollector::skip(std::size_t line, std::string_view text, const std::string& why) {
  if (skipped_++ == 0) first_skipped_ = fmt::format("line {}: {} {}", line, shown(text), why);
}

void TraceCollector::refuse_foreign_lines() const {
  const double most = std::max<double>(kMostSkipped, kMostSkippedShare * static_cast<double>(samples_));
  if (skipped_ == 0 || (samples_ > 0 && static_cast<double>(skipped_) <= most)) return;
  if (samples_ == 0) throw Error(ErrorKind::kData, "has no readings; {}", first_skipped_);
  throw Error(ErrorKind::kData, "{}; {} lines like this beside {} readings: correct or remove them",
              first_skipped_, skipped_, samples_);
}

void TraceCollector::sort(PowerTrace& trace) {
  std::vector<PowerSample>& samples = trace.samples;
  std::size_t unordered = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].time < samples[i - 1].time) ++unordered;
  }
  // Sorting moves every sample, and nearly all logs are in order.
  if (unordered > 0) std::ranges::stable_sort(samples, {}, &PowerSample::time);
  unordered_ += unordered;
  if (const std::size_t count = readings_per_moment(samples); count > 1) {
    throw Error(
        ErrorKind::kData,
        "{} has {} readings at each moment: several GPUs that no column tells apart, or stamps coarser "
        "than the readings; {}",
        shown(trace.facts.part), count, recording_hint_);
  }
  const std::size_t before = samples.size();
  // From the back, since the last of equal stamps counts.
  const auto is_repeated = [](const PowerSample& a, const PowerSample& b) { return a.time == b.time; };
  const auto first = std::unique(samples.rbegin(), samples.rend(), is_repeated);
  samples.erase(samples.begin(), first.base());
  repeated_ += before - samples.size();
}

void TraceCollector::finish(PowerLog& log) {
  refuse_foreign_lines();
  // Stamps of whole seconds were cut off: on average the reading is half a second younger.
  const bool is_coarse = !log.is_monotonic && !has_fractions_;
  std::size_t missing = 0;
  for (PowerTrace& trace : traces_) {
    sort(trace);
    for (PowerSample& sample : trace.samples) sample.time = sample.time + Seconds{is_coarse ? 0.5 : 0};
    missing += static_cast<std::size_t>(std::ranges::count_if(trace.samples, is_missing));
  }
  const auto note_if = [&log](bool is_true, std::string text) {
    if (is_true) log.notes.push_back(std::move(text));
  };
  note_if(is_cut_, "the last line has no end and was left out");
  note_if(!used_offsets_.empty(), zone_note());
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

}  // namespace gpubench
