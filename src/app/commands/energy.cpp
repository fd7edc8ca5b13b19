#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/commands/common_options.h"
#include "app/commands/entries.h"
#include "app/files/result_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/names.h"
#include "power/log/power_log.h"
#include "power/log/stamp.h"
#include "power/trace/energy_account.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::string result;
  std::string log;
  DocumentOutput to;
  std::string format = "auto";    ///< Of the log: one of format_names().
  std::string clock_offset;       ///< By how much the log's clock was behind: a duration, with a sign or not.
  std::string time_zone;          ///< Of stamps that tell none, as parse_utc_offset reads it.
  std::string method = "window";  ///< One of method_names().
  std::string part;               ///< Which of the log's; empty: all.
  std::string scope;              ///< Instead of what the log says; empty: that.
  std::string device;             ///< Likewise.
};

/// What became of the cases.
struct EnergyImport {
  std::size_t cases = 0;
  std::size_t with_energy = 0;
  std::size_t outside = 0;            ///< Ran while the log was not recorded.
  std::size_t without_times = 0;      ///< Do not tell when their epochs were.
  std::vector<std::string> refusals;  ///< Why there is no figure for a case that the log reaches.
};

/// When the case started, by the clock of the log.
Reading<Seconds> start_of(const CaseRecord& record, bool is_monotonic) {
  if (is_monotonic) return record.clock_start;
  return record.started_at.then(parse_stamp).then([](const Stamp& stamp) {
    return stamp.local - stamp.utc_offset.value_or(Seconds{0});
  });
}

/// From the first epoch's begin to the last one's end; absent where the record does not tell.
Reading<TimeSpan> span_of(const CaseRecord& record, bool is_monotonic) {
  return start_of(record, is_monotonic).then([&](Seconds start) -> Reading<TimeSpan> {
    const std::vector<TimeSpan> windows = epoch_windows(record, start);
    if (windows.empty()) return absent("no epoch is in its timeline");
    return TimeSpan{windows.front().begin, windows.back().end};
  });
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

/// One import into a run: adds a record for each trace of the log to each case that it reaches; one of the
/// same meter and part gives way. Throws a data Error where no case is reached.
class Import {
 public:
  Import(RunRecord& run, const PowerLog& log, const Options& options, EnergyMethod method)
      : run_(run), log_(log), options_(options), method_(method) {}

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
    const EnergyTimes times{.case_start = start_of(record, log_.is_monotonic).value()};
    EnergyRecord fresh = account_for(trace, record, times, method_);
    // Without its folder, which is nobody else's business.
    const std::string name = std::filesystem::path(options_.log).filename().string();
    fresh.notes.push_back(fmt::format("imported from {} ({})", name, log_.format));
    fresh.notes.insert(fresh.notes.end(), log_.notes.begin(), log_.notes.end());
    return fresh;
  }

  /// In place of the one of the same source.
  static void put(CaseRecord& record, EnergyRecord fresh) {
    const auto old = std::ranges::find_if(record.energy, [&](const EnergyRecord& energy) {
      return energy.meter == fresh.meter && energy.part == fresh.part;
    });
    if (old == record.energy.end()) {
      record.energy.push_back(std::move(fresh));
      return;
    }
    // What was measured live around the case is not in its epochs, but as true as before.
    for (const auto idle : {&EnergyRecord::idle_before, &EnergyRecord::idle_after, &EnergyRecord::idle_error})
      if (!(fresh.*idle).has_value()) fresh.*idle = (*old).*idle;
    *old = std::move(fresh);
  }

  void count(const CaseRecord& record, const std::vector<EnergyRecord>& records) {
    if (std::ranges::any_of(records, &Reading<Joules>::has_value, &EnergyRecord::energy)) {
      ++result_.with_energy;
    } else {
      result_.refusals.push_back(fmt::format("{} on {}, batch {}: no energy: {}", record.model, record.device,
                                             record.batch_size, records.front().energy.reason()));
    }
  }

  [[noreturn]] void refuse_timeless() const {
    throw Error(ErrorKind::kData, "{}: no case tells when its epochs were{}; run it again with this gpubench",
                options_.result, log_.is_monotonic ? " by the machine's clock" : "");
  }

  [[noreturn]] void refuse_apart() const {
    std::optional<TimeSpan> log;
    for (const PowerTrace& trace : log_.traces) extend(log, span_of(trace));
    throw Error(
        ErrorKind::kData, "{}: reaches no case: it is {}, the epochs of {} are {}; set {}", options_.log,
        range_text(*log, log_.is_monotonic), options_.result, range_text(*cases_, log_.is_monotonic),
        log_.is_monotonic ? "--clock-offset, or give the log of this run" : "--time-zone or --clock-offset");
  }

  RunRecord& run_;
  const PowerLog& log_;
  const Options& options_;
  EnergyMethod method_;
  EnergyImport result_;
  std::optional<TimeSpan> cases_;
};

/// Keeps `part` alone where it is not empty, and lets `scope` and `device` replace what the log says where
/// they are set. Throws a usage Error for an unknown part.
void choose_traces(PowerLog& log, const std::string& part, const std::string& scope,
                   const std::string& device) {
  const auto parts = mapped(log.traces, [](const PowerTrace& trace) { return trace.facts.part; });
  if (!part.empty()) {
    std::erase_if(log.traces, [&](const PowerTrace& trace) { return trace.facts.part != part; });
  }
  if (log.traces.empty()) {
    throw Error(ErrorKind::kUsage, "--part '{}': is not in the log, which has {}", part, join(parts));
  }
  for (PowerTrace& trace : log.traces) {
    if (!scope.empty()) trace.facts.scope = value_named<PowerScope>(scope);
    if (!device.empty()) trace.facts.device = device;
  }
}

/// A log with one board whose device it does not tell, of a run with one device: it is that one.
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

/// A duration that may have a sign.
Seconds signed_duration(const std::string& text, const std::string& option) {
  const bool is_negative = text.starts_with("-");
  const bool is_signed = is_negative || text.starts_with("+");
  const Seconds duration = parse_duration(is_signed ? text.substr(1) : text, option);
  return is_negative ? Seconds{0} - duration : duration;
}

PowerLogOptions log_options(const Options& options) {
  PowerLogOptions reading;
  reading.format = options.format;
  if (!options.time_zone.empty()) reading.utc_offset = parse_utc_offset(options.time_zone, "--time-zone");
  if (!options.clock_offset.empty()) {
    reading.clock_offset = signed_duration(options.clock_offset, "--clock-offset");
  }
  return reading;
}

const std::vector<std::pair<std::string, EnergyMethod>> kMethods{{"window", EnergyMethod::kTrapezoid},
                                                                 {"spike-q30", EnergyMethod::kSpikeQ30}};

std::vector<std::string> method_names() {
  return mapped(kMethods, [](const auto& method) { return method.first; });
}

EnergyMethod method_of(const std::string& name) {
  for (const auto& [known, method] : kMethods) {
    if (name == known) return method;
  }
  throw Error(ErrorKind::kUsage, "--energy-method '{}': is unknown; there are {}", name,
              join(method_names(), " and "));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names{"auto"};
  append(names, names_in(power_log_formats()));
  return names;
}

/// Before anything is read.
void check_scope(const std::string& name) {
  if (name.empty()) return;
  try {
    value_named<PowerScope>(name);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "--scope: {}", error.what());
  }
}

void tell(const EnergyImport& result, const PowerLog& log, const std::string& path) {
  for (const std::string& note : log.notes) say(path + ": " + note);
  for (const std::string& refusal : result.refusals) say(refusal);
  std::string text = fmt::format("energy for {} of {} cases", result.with_energy, result.cases);
  if (result.outside > 0) text += fmt::format("; {} ran outside the log's time", result.outside);
  if (result.without_times > 0) {
    text += fmt::format("; {} of them do not tell when their epochs were", result.without_times);
  }
  say(text);
}

ExitCode import_energy(const Options& options) {
  const PowerLogOptions reading = log_options(options);
  const EnergyMethod method = method_of(options.method);
  check_scope(options.scope);
  RunRecord run = read_run_file(options.result);
  PowerLog log = read_power_log(options.log, reading);
  choose_traces(log, options.part, options.scope, options.device);
  name_sole_device(log, run);
  tell(Import(run, log, options, method).all(), log, options.log);
  write_document(options.to, options.result, run_document(run));
  return ExitCode::kOk;
}

void add_import_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "RESULT", "Result file", options->result).required();
  parser.option("log", "LOG", "Log of power that was recorded during the run", options->log).required();
  const auto add = [&parser](const std::string& name, std::string& value, const std::string& help) {
    return parser.option(name, "TEXT", help, value);
  };
  add_document_output(parser, options->to);
  add("--format", options->format, "Of the log: " + join(format_names()) + " (auto)").offers(format_names);
  add("--clock-offset", options->clock_offset, "By how much the log's clock was behind: 2s, -1.5s");
  add("--time-zone", options->time_zone, "Of stamps without one: +01:00, Z (this machine's)");
  add("--energy-method", options->method, "window: exact; spike-q30: as published (window)")
      .offers(method_names);
  add("--part", options->part, "Only this part of the log, such as 'GPU 0 NVIDIA H200'");
  add("--scope", options->scope, "What the log measured: gpu-board, gpu-rail, soc, system, ...")
      .offers(known_names<PowerScope>);
  add("--device", options->device, "Whose work the log measured: cuda:1, mps, cpu").offers(device_names);
  parser.footer(
      "Examples:\n  gpubench energy import run.json power.csv -o run-with-energy.json\n"
      "  gpubench energy import run.json powermetrics.txt --clock-offset -2.5s > new.json");
  parser.on_parsed([options] { return import_energy(*options); });
}

void add_options(CommandParser& parser) {
  CommandParser importer = parser.subcommand("import", "Add what a log says to the cases of a result");
  add_import_options(importer);
  parser.require_subcommand("energy: say 'gpubench energy import RESULT LOG'");
}

}  // namespace

CommandEntry entry_energy() {
  return {"energy", "Energy from logs of power that other programs recorded", CommandKind::kUnlisted,
          add_options};
}

}  // namespace gpubench
