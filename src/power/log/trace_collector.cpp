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

bool is_missing(const PowerSample& sample) {
  return !sample.reading.power.has_value() && !sample.reading.energy.has_value();
}

}  // namespace

PowerReading blank_reading() {
  const Absent none = absent("not in the log");
  return {none, none, none, none, none, ""};
}

Seconds TraceCollector::offset_at(Seconds local) {
  if (options_.utc_offset) return *options_.utc_offset;
  const auto [entry, is_new] = own_offsets_.try_emplace(std::floor(local.value / kQuarterHour));
  if (is_new) entry->second = own_utc_offset(local);
  return entry->second;
}

Seconds TraceCollector::utc_of(const Stamp& stamp) {
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
  traces_[entry->second].samples.push_back(std::move(sample));
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
  const std::size_t before = samples.size();
  // From the back, since the last of equal stamps counts.
  const auto is_repeated = [](const PowerSample& a, const PowerSample& b) { return a.time == b.time; };
  const auto first = std::unique(samples.rbegin(), samples.rend(), is_repeated);
  samples.erase(samples.begin(), first.base());
  repeated_ += before - samples.size();
}

void TraceCollector::finish(PowerLog& log) {
  std::size_t missing = 0;
  for (PowerTrace& trace : traces_) {
    sort(trace);
    missing += static_cast<std::size_t>(std::ranges::count_if(trace.samples, is_missing));
  }
  const auto note_if = [&log](bool is_true, std::string text) {
    if (is_true) log.notes.push_back(std::move(text));
  };
  note_if(is_cut_, "the last line has no end and was left out");
  note_if(!used_offsets_.empty(), zone_note());
  append(log.notes, notes_);
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
