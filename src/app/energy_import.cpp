#include "app/energy_import.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/power/energy_account.h"
#include "gpubench/power/stamp.h"

namespace gpubench {
namespace {

/// When the case started, by the clock of the log.
Reading<Seconds> start_of(const CaseRecord& record, bool is_monotonic) {
  if (is_monotonic) return record.clock_start;
  if (!record.started_at.has_value()) return absent(record.started_at.reason());
  const Reading<Stamp> stamp = parse_stamp(record.started_at.value());
  if (!stamp.has_value()) return absent(stamp.reason());
  return stamp.value().local - stamp.value().utc_offset.value_or(Seconds{0});
}

/// From the first epoch's begin to the last one's end; absent where the record does not tell.
Reading<TimeSpan> span_of(const CaseRecord& record, bool is_monotonic) {
  const Reading<Seconds> start = start_of(record, is_monotonic);
  if (!start.has_value()) return absent(start.reason());
  const std::vector<TimeSpan> windows = epoch_windows(record, start.value());
  if (windows.empty()) return absent("no epoch is in its timeline");
  return TimeSpan{windows.front().begin, windows.back().end};
}

TimeSpan span_of(const PowerTrace& trace) {
  return {trace.samples.front().time - trace.facts.averaging, trace.samples.back().time};
}

/// From the first begin to the last end of all of them.
void extend(std::optional<TimeSpan>& whole, const TimeSpan& part) {
  if (!whole) whole = part;
  whole->begin = std::min(whole->begin, part.begin);
  whole->end = std::max(whole->end, part.end);
}

bool overlap(const TimeSpan& a, const TimeSpan& b) { return a.begin < b.end && b.begin < a.end; }

std::string range_text(const TimeSpan& span, bool is_monotonic) {
  if (is_monotonic)
    return fmt::format("from {:.0f} s to {:.0f} s of the machine's clock", span.begin.value, span.end.value);
  return fmt::format("from {} to {}", utc_text(span.begin), utc_text(span.end));
}

/// One import into a run.
class Import {
 public:
  Import(RunRecord& run, const PowerLog& log, const ImportFiles& files, EnergyMethod method)
      : run_(run), log_(log), files_(files), method_(method) {}

  EnergyImport all() {
    result_.cases = run_.cases.size();
    for (CaseRecord& record : run_.cases) add_to(record);
    if (!cases_) refuse_timeless();
    if (result_.with_energy + result_.refusals.size() == 0) refuse_apart();
    return std::move(result_);
  }

 private:
  void add_to(CaseRecord& record) {
    const Reading<TimeSpan> span = span_of(record, log_.is_monotonic);
    if (!span.has_value()) {
      ++result_.without_times;
      return;
    }
    extend(cases_, span.value());
    std::vector<EnergyRecord> records;
    for (const PowerTrace& trace : log_.traces) {
      if (overlap(span_of(trace), span.value())) records.push_back(record_of(trace, record));
    }
    if (records.empty()) {
      ++result_.outside;
    } else {
      count(record, records);
      for (EnergyRecord& fresh : records) put(record, std::move(fresh));
      record.energy_note.clear();
    }
  }

  EnergyRecord record_of(const PowerTrace& trace, const CaseRecord& record) const {
    EnergyTimes times;
    times.case_start = start_of(record, log_.is_monotonic).value();
    EnergyRecord fresh = account_for(trace, record, times, method_);
    // Without its folder, which is nobody else's business.
    const std::string name = std::filesystem::path(files_.log).filename().string();
    fresh.notes.push_back(fmt::format("imported from {} ({})", name, log_.format));
    fresh.notes.insert(fresh.notes.end(), log_.notes.begin(), log_.notes.end());
    return fresh;
  }

  /// In place of the one of the same source.
  static void put(CaseRecord& record, EnergyRecord fresh) {
    const auto old = std::find_if(
        record.energy.begin(), record.energy.end(),
        [&](const EnergyRecord& energy) { return energy.meter == fresh.meter && energy.part == fresh.part; });
    if (old == record.energy.end()) {
      record.energy.push_back(std::move(fresh));
      return;
    }
    // What was measured live around the case is not in its epochs, but as true as before.
    if (!fresh.idle_before.has_value()) fresh.idle_before = old->idle_before;
    if (!fresh.idle_after.has_value()) fresh.idle_after = old->idle_after;
    *old = std::move(fresh);
  }

  void count(const CaseRecord& record, const std::vector<EnergyRecord>& records) {
    const bool is_found = std::any_of(records.begin(), records.end(),
                                      [](const EnergyRecord& fresh) { return fresh.energy.has_value(); });
    if (is_found) {
      ++result_.with_energy;
    } else {
      result_.refusals.push_back(fmt::format("{} on {}, batch {}: no energy: {}", record.model, record.device,
                                             record.batch_size, records.front().energy.reason()));
    }
  }

  [[noreturn]] void refuse_timeless() const {
    throw Error(ErrorKind::kData,
                fmt::format("{}: no case tells when its epochs were{}; run it again with this gpubench",
                            files_.result, log_.is_monotonic ? " by the machine's clock" : ""));
  }

  [[noreturn]] void refuse_apart() const {
    std::optional<TimeSpan> log;
    for (const PowerTrace& trace : log_.traces) extend(log, span_of(trace));
    throw Error(ErrorKind::kData,
                fmt::format("{}: reaches no case: it is {}, the epochs of {} are {}; set {}", files_.log,
                            range_text(*log, log_.is_monotonic), files_.result,
                            range_text(*cases_, log_.is_monotonic),
                            log_.is_monotonic ? "--clock-offset, or give the log of this run"
                                              : "--time-zone or --clock-offset"));
  }

  RunRecord& run_;
  const PowerLog& log_;
  const ImportFiles& files_;
  EnergyMethod method_;
  EnergyImport result_;
  std::optional<TimeSpan> cases_;
};

}  // namespace

EnergyImport import_energy(RunRecord& run, const PowerLog& log, const ImportFiles& files,
                           EnergyMethod method) {
  return Import(run, log, files, method).all();
}

void choose_traces(PowerLog& log, const std::string& part, const std::string& scope,
                   const std::string& device) {
  std::vector<std::string> parts;
  for (const PowerTrace& trace : log.traces) parts.push_back(trace.facts.part);
  if (!part.empty()) {
    std::erase_if(log.traces, [&](const PowerTrace& trace) { return trace.facts.part != part; });
  }
  if (log.traces.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--part '{}': is not in the log, which has {}", part, join(parts)));
  }
  for (PowerTrace& trace : log.traces) {
    if (!scope.empty()) trace.facts.scope = power_scope_named(scope);
    if (!device.empty()) trace.facts.device = device;
  }
}

void name_sole_device(PowerLog& log, const RunRecord& run) {
  std::set<std::string> devices;
  for (const CaseRecord& record : run.cases) {
    if (record.device != "cpu") devices.insert(record.device);
  }
  const bool is_sole = log.traces.size() == 1 && devices.size() == 1;
  if (!is_sole || log.traces.front().facts.scope != PowerScope::kGpuBoard) return;
  std::string& device = log.traces.front().facts.device;
  if (device.empty()) device = *devices.begin();
}

}  // namespace gpubench
