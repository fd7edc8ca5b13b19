#include "power/log/trace_collector.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

bool is_earlier(const PowerSample& a, const PowerSample& b) { return a.time < b.time; }

std::size_t missing_in(const std::vector<PowerTrace>& traces) {
  std::size_t count = 0;
  for (const PowerTrace& trace : traces) {
    count += static_cast<std::size_t>(std::count_if(trace.samples.begin(), trace.samples.end(), is_missing));
  }
  return count;
}

/// Those of which some sample has a value.
void drop_silent(std::vector<PowerTrace>& traces) {
  std::erase_if(traces, [](const PowerTrace& trace) {
    return std::all_of(trace.samples.begin(), trace.samples.end(), is_missing);
  });
}

}  // namespace

PowerReading blank_reading() {
  PowerReading reading;
  reading.energy = absent("not in the log");
  reading.power = absent("not in the log");
  reading.temperature = absent("not in the log");
  reading.clock = absent("not in the log");
  reading.limit = absent("not in the log");
  return reading;
}

Seconds StampReader::offset_at(Seconds local) {
  if (options_.utc_offset) return *options_.utc_offset;
  const auto [entry, is_new] = own_offsets_.try_emplace(std::floor(local.value / kQuarterHour));
  if (is_new) entry->second = own_utc_offset(local);
  return entry->second;
}

Seconds StampReader::utc_of(const Stamp& stamp) {
  if (stamp.utc_offset) return stamp.local - *stamp.utc_offset + options_.clock_offset;
  const Seconds offset = offset_at(stamp.local);
  used_offsets_.insert(offset.value);
  return stamp.local - offset + options_.clock_offset;
}

std::string StampReader::note() const {
  if (used_offsets_.empty()) return "";
  std::vector<std::string> offsets;
  for (const double offset : used_offsets_) offsets.push_back("UTC" + utc_offset_text({offset}));
  return fmt::format("stamps without a time zone were read as {}{}", join(offsets),
                     options_.utc_offset ? "" : ", this machine's local time");
}

std::size_t TraceCollector::trace(const std::string& key, const std::function<PowerSourceFacts()>& facts,
                                  std::size_t line) {
  const auto [entry, is_new] = index_.try_emplace(key, traces_.size());
  if (is_new) traces_.push_back({facts(), {}});
  if (traces_.size() > kMostParts) refuse_line(line, "has one part more than the 1,024 that a log may have");
  return entry->second;
}

void TraceCollector::add(std::size_t trace, PowerSample sample, std::size_t line) {
  if (++samples_ > kMostSamples) {
    refuse_line(line, "has one reading more than the 10 million that are read; cut the log to the run");
  }
  traces_[trace].samples.push_back(std::move(sample));
}

void TraceCollector::sort(PowerTrace& trace) {
  std::vector<PowerSample>& samples = trace.samples;
  std::size_t unordered = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (is_earlier(samples[i], samples[i - 1])) ++unordered;
  }
  // Sorting moves every sample, and nearly all logs are in order.
  if (unordered > 0) std::stable_sort(samples.begin(), samples.end(), is_earlier);
  unordered_ += unordered;
  const std::size_t before = samples.size();
  // From the back, since the last of equal stamps counts.
  const auto first = std::unique(samples.rbegin(), samples.rend(),
                                 [](const PowerSample& a, const PowerSample& b) { return a.time == b.time; });
  samples.erase(samples.begin(), first.base());
  repeated_ += before - samples.size();
}

void TraceCollector::finish(PowerLog& log) {
  for (PowerTrace& trace : traces_) sort(trace);
  if (unordered_ > 0)
    log.notes.push_back(fmt::format("sorted: {} stamps are before the one above", unordered_));
  if (repeated_ > 0) {
    log.notes.push_back(fmt::format("{} stamps occur again; the last reading of each counts", repeated_));
  }
  if (const std::size_t missing = missing_in(traces_); missing > 0) {
    log.notes.push_back(fmt::format("{} of {} readings have no value", missing, samples_ - repeated_));
  }
  drop_silent(traces_);
  if (traces_.empty()) {
    throw Error(ErrorKind::kData, "has no reading with a power; name a log that was recorded during the run");
  }
  log.traces = std::move(traces_);
}

}  // namespace gpubench
