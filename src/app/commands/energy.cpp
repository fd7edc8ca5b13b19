#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/gpu_match.h"
#include "gpubench/record/names.h"
#include "power/log/columns.h"
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
  std::string format = "auto";             ///< Of the log: one of format_names().
  std::vector<std::string> power_columns;  ///< Of a table: "NAME" or "NAME:mW".
  std::string clock_offset;       ///< By how much the log's clock was behind: a duration, with a sign or not.
  std::string time_zone;          ///< Of stamps that tell none, as parse_utc_offset reads it.
  std::string method = "window";  ///< One of method_names().
  std::string part;               ///< Which of the log's; empty: all.
  std::string scope;              ///< Instead of what the log says; empty: that.
  std::string device;             ///< Likewise.
};

/// Outcome of an import.
struct EnergyImport {
  std::size_t cases = 0;
  std::size_t with_energy = 0;    ///< Cases whose own device has an energy.
  std::size_t outside = 0;        ///< Cases that ran while the log was not recorded.
  std::size_t without_times = 0;  ///< Cases without the times of their epochs.
  std::map<std::string, std::vector<std::string>> refusals;  ///< Cases that the log reaches, by the reason.
};

/// When the case started, by the clock of the log.
Measured<Seconds> find_start(const CaseRecord& record, bool is_monotonic) {
  if (is_monotonic) return record.clock_start;
  return record.started_at.then(parse_stamp).then([](const Stamp& stamp) {
    return stamp.local - stamp.utc_offset.value_or(Seconds{0});
  });
}

/// From the first epoch's begin to the last one's end; absent where the record does not tell.
Measured<TimeSpan> make_span(const CaseRecord& record, bool is_monotonic) {
  return find_start(record, is_monotonic).then([&](Seconds start) -> Measured<TimeSpan> {
    const std::vector<TimeSpan> windows = epoch_windows(record, start);
    if (windows.empty()) return missing("no epoch is in its timeline");
    return TimeSpan{windows.front().begin, windows.back().end};
  });
}

TimeSpan make_span(const PowerTrace& trace) {
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

bool is_gpu(const PowerTrace& trace) {
  const PowerScope scope = trace.facts.scope;
  return scope == PowerScope::kGpuBoard || scope == PowerScope::kGpuRail || trace.facts.gpu != GpuIdentity();
}

std::string parts_text(const std::vector<PowerTrace>& traces) {
  return join(mapped(traces, [](const PowerTrace& trace) { return "'" + trace.facts.part + "'"; }));
}

/// Returns the devices of the run's cases that are GPUs.
std::vector<std::string> gpu_devices(const RunRecord& run) {
  std::set<std::string> devices;
  for (const CaseRecord& record : run.cases) {
    if (record.device != "cpu") devices.insert(record.device);
  }
  return {devices.begin(), devices.end()};
}

/// Names the device of each GPU in the log, and removes GPUs of other devices. Throws a data Error where more
/// than one GPU could be the device of a case.
class DeviceNaming {
 public:
  DeviceNaming(PowerLog& log, const RunRecord& run, const Options& options)
      : log_(log), run_(run), options_(options), devices_(gpu_devices(run)) {}

  void apply() {
    std::vector<PowerTrace*> gpus;
    for (PowerTrace& trace : log_.traces) {
      if (is_gpu(trace) && trace.facts.device.empty()) gpus.push_back(&trace);
    }
    if (gpus.empty()) return;
    if (devices_.empty()) {
      remove_others("all cases ran on cpu");
      return;
    }
    const auto matches =
        match_gpus(mapped(gpus, [](const PowerTrace* gpu) { return gpu->facts.gpu; }), run_.environment);
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      gpus[i]->facts.device = matches[i].device;
      if (!matches[i].why_unknown.empty()) unknown.push_back(i);
    }
    if (unknown.size() == 1 && may_be_sole(gpus, *gpus[unknown.front()])) {
      PowerTrace& sole = *gpus[unknown.front()];
      sole.facts.device = devices_.front();
      log_.notes.push_back(fmt::format("'{}' was taken for {}: {}", sole.facts.part, sole.facts.device,
                                       matches[unknown.front()].why_unknown));
      unknown.clear();
    }
    if (!unknown.empty()) refuse(gpus, unknown, matches[unknown.front()].why_unknown);
    const Measured<std::string>& visible = run_.environment.visible_devices;
    const bool is_set = visible.has_value() && visible.value() != "none";
    remove_others(fmt::format("none of them is a device of the run ({}{})", join(devices_),
                              is_set ? " with " + visible.value() : ""));
  }

 private:
  /// A log of one GPU is that of a run on one GPU, unless the two name different ones.
  bool may_be_sole(const std::vector<PowerTrace*>& gpus, const PowerTrace& gpu) const {
    const bool is_chosen = !options_.part.empty();
    const bool is_open = !run_.environment.visible_devices.has_value() || gpu.facts.gpu == GpuIdentity();
    return gpus.size() == 1 && devices_.size() == 1 && (is_open || is_chosen);
  }

  [[noreturn]] void refuse(const std::vector<PowerTrace*>& gpus, const std::vector<std::size_t>& unknown,
                           const std::string& why) const {
    const std::string devices = join(devices_);
    const std::string part = gpus[unknown.front()]->facts.part;
    if (gpus.size() == 1) {
      throw Error(ErrorKind::kData, "{}: whether '{}' is {} is unknown ({}); if it is, say --device {}",
                  options_.log, part, devices, why, devices_.front());
    }
    throw Error(ErrorKind::kData,
                "{}: which of its GPUs ({}) is {} is unknown ({}); choose it with --part '{}'", options_.log,
                parts_text(log_.traces), devices, why, part);
  }

  /// Throws a data Error where nothing is left.
  void remove_others(const std::string& why) {
    const std::string parts = parts_text(log_.traces);
    std::erase_if(log_.traces,
                  [](const PowerTrace& trace) { return is_gpu(trace) && trace.facts.device.empty(); });
    if (!log_.traces.empty()) return;
    throw Error(ErrorKind::kData,
                "{}: measures {}, and {}; give the log of the run's device, or name it with --device",
                options_.log, parts, why);
  }

  PowerLog& log_;
  const RunRecord& run_;
  const Options& options_;
  std::vector<std::string> devices_;
};

/// Parts of one scope add up where gpubench itself listed them; in other logs each could be the one that is
/// meant.
void refuse_rivals(const std::vector<const PowerTrace*>& traces, const PowerLog& log,
                   const std::string& path) {
  if (log.is_monotonic) return;
  for (const PowerTrace* trace : traces) {
    std::vector<PowerTrace> rivals;
    for (const PowerTrace* other : traces) {
      const bool is_rival =
          other->facts.scope == trace->facts.scope && other->facts.device == trace->facts.device;
      if (is_rival) rivals.push_back({other->facts, {}});
    }
    if (rivals.size() < 2) continue;
    throw Error(ErrorKind::kData,
                "{}: {} have the scope {}, and any of them could be meant; choose one with --part", path,
                parts_text(rivals), to_string(trace->facts.scope));
  }
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
    if (result_.with_energy == 0 && result_.refusals.empty()) {
      require_own_device();
      refuse_apart();
    }
    return std::move(result_);
  }

 private:
  void add_to(CaseRecord& record) {
    const Measured<TimeSpan> span = make_span(record, log_.is_monotonic);
    if (!span.has_value()) {
      ++result_.without_times;
      return;
    }
    extend(cases_, span.value());
    std::vector<const PowerTrace*> traces;
    for (const PowerTrace& trace : log_.traces) {
      if (overlap(make_span(trace), span.value()) && measures(trace, record)) traces.push_back(&trace);
    }
    const auto has_scope = [](const PowerTrace* trace) { return trace->facts.scope != PowerScope::kUnknown; };
    // Rails of an unknown kind stand for a case only where there is nothing better.
    if (std::ranges::any_of(traces, has_scope)) std::erase_if(traces, std::not_fn(has_scope));
    refuse_rivals(traces, log_, options_.log);
    if (traces.empty()) {
      is_of_others_ = is_of_others_ || reaches(span.value());
      ++result_.outside;
      return;
    }
    for (const PowerTrace* trace : traces) put(record, make_record(*trace, record));
    record.energy_note.clear();
    count(record);
  }

  bool reaches(const TimeSpan& span) const {
    return std::ranges::any_of(log_.traces,
                               [&](const PowerTrace& trace) { return overlap(make_span(trace), span); });
  }

  void require_own_device() const {
    if (!is_of_others_) return;
    throw Error(ErrorKind::kData,
                "{}: measures {}, which is none of the devices of {} ({}); name it with --device",
                options_.log, parts_text(log_.traces), options_.result, join(gpu_devices(run_)));
  }

  /// A GPU's power is that of cases on that GPU alone. Several ranks may have a GPU each.
  static bool measures(const PowerTrace& trace, const CaseRecord& record) {
    return !is_gpu(trace) || trace.facts.device == record.device || record.ranks > 1;
  }

  EnergyRecord make_record(const PowerTrace& trace, const CaseRecord& record) const {
    const EnergyTimes times{.case_start = find_start(record, log_.is_monotonic).value()};
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
    for (const auto idle : {&EnergyRecord::idle_before, &EnergyRecord::idle_after})
      if (!(fresh.*idle).has_value()) fresh.*idle = (*old).*idle;
    *old = std::move(fresh);
  }

  void count(const CaseRecord& record) {
    const Measured<CaseEnergy> energy = case_energy(record);
    if (energy.has_value()) {
      ++result_.with_energy;
    } else {
      result_.refusals[energy.reason()].push_back(
          fmt::format("{} on {}, batch {}", record.model, record.device, record.batch_size));
    }
  }

  [[noreturn]] void refuse_timeless() const {
    throw Error(ErrorKind::kData,
                "{}: no case has the times of its epochs{}; run it again with this gpubench", options_.result,
                log_.is_monotonic ? " by the machine's clock" : "");
  }

  [[noreturn]] void refuse_apart() const {
    std::optional<TimeSpan> log;
    for (const PowerTrace& trace : log_.traces) extend(log, make_span(trace));
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
  bool is_of_others_ = false;  ///< The log reaches a case, but has other devices only.
};

/// Whether the user means this part of the log: by its name or its beginning, index, UUID or PCI address.
bool is_named(const PowerSourceFacts& facts, const std::string& part) {
  const bool is_index = facts.gpu.index && facts.gpu.index == gpu_index(part);
  return facts.part == part || facts.part.starts_with(part + " ") || is_index || facts.gpu.uuid == part ||
         facts.gpu.pci_address == part;
}

/// Keeps `part` alone where it is not empty, and lets `scope` and `device` replace what the log says where
/// they are set. Throws a usage Error for an unknown part.
void choose_traces(PowerLog& log, const Options& options) {
  if (!options.part.empty()) {
    const std::string parts = parts_text(log.traces);
    std::erase_if(log.traces, [&](const PowerTrace& trace) { return !is_named(trace.facts, options.part); });
    if (log.traces.empty()) {
      throw Error(ErrorKind::kUsage, "--part '{}': is not in the log, which has {}", options.part, parts);
    }
  }
  for (PowerTrace& trace : log.traces) {
    if (!options.scope.empty()) trace.facts.scope = value_named<PowerScope>(options.scope);
    if (!options.device.empty()) trace.facts.device = options.device;
  }
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
  reading.power_columns = options.power_columns;
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

EnergyMethod find_method(const std::string& name) {
  for (const auto& [known, method] : kMethods) {
    if (name == known) return method;
  }
  throw Error(ErrorKind::kUsage, "--energy-method '{}': is unknown; there are {}", name,
              join(method_names(), " and "));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names = power_log_formats().names();
  names.insert(names.begin(), "auto");
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

void report(const EnergyImport& result, const PowerLog& log, const std::string& path) {
  for (const std::string& note : log.notes) log_info(path + ": " + note);
  for (const auto& [reason, cases] : result.refusals) {
    const std::string more = cases.size() > 1 ? fmt::format(" and {} more", cases.size() - 1) : "";
    log_info(fmt::format("{}{}: no energy: {}", cases.front(), more, reason));
  }
  std::string text = fmt::format("energy for {} of {} cases", result.with_energy, result.cases);
  if (result.outside > 0)
    text += fmt::format("; {} ran outside the log's time or on a device without power in it", result.outside);
  if (result.without_times > 0)
    text += fmt::format("; {} without the times of their epochs", result.without_times);
  log_info(text);
}

ExitCode import_energy(const Options& options) {
  const PowerLogOptions reading = log_options(options);
  const EnergyMethod method = find_method(options.method);
  check_scope(options.scope);
  RunRecord run = read_run_file(options.result);
  PowerLog log = read_power_log(options.log, reading);
  choose_traces(log, options);
  DeviceNaming(log, run, options).apply();
  report(Import(run, log, options, method).all(), log, options.log);
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
  add("--format", options->format, "Format of the log: " + join(format_names()) + " (auto)")
      .offers(format_names);
  parser.option("--power-column", "NAME[:UNIT]",
                "Column of a table with the power: a heading or a number, unit W, mW or kW; may be repeated",
                options->power_columns);
  add("--clock-offset", options->clock_offset, "Time to add to the log's stamps: 2s, -1.5s (0s)");
  add("--time-zone", options->time_zone, "Zone of stamps without one: +01:00, Z (this machine's)");
  add("--energy-method", options->method, "window: exact; spike-q30: as published (window)")
      .offers(method_names);
  add("--part", options->part, "Part of the log to import, such as 'GPU 0' or a UUID (all)");
  add("--scope", options->scope, "Scope of the log: gpu-board, gpu-rail, soc, system, ... (the log's)")
      .offers(known_names<PowerScope>);
  add("--device", options->device, "Device that the log measured: cuda:1, mps, cpu (the log's)")
      .offers(device_names);
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
  return {"energy", "import: add the energy in a power log of another program to a result",
          CommandKind::kListed, add_options};
}

}  // namespace gpubench
