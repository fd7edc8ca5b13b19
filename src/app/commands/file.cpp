#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/gpu_match.h"
#include "gpubench/record/names.h"
#include "power/log/power_log.h"
#include "power/log/values.h"
#include "power/trace/energy_account.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::file_plugin {
namespace {

bool validate(const std::string& path) {
  try {
    const std::vector<std::string> faults = document_faults(read_document(path));
    for (const std::string& fault : faults) print_line(path + ": " + fault);
    if (faults.empty()) print_line(path + ": ok");
    return faults.empty();
  } catch (const Error& error) {
    print_line(error.what());
    return false;
  }
}

void add_validate(CommandParser parser) {
  const auto files = std::make_shared<std::vector<std::string>>();
  parser.option("files", "FILE ...", "Result files", *files).required();
  parser.footer(
      "Prints 'ok' or the errors of each file. Exit code 3: a file is not valid.\n"
      "Example:\n  gpubench file validate results/*.json");
  parser.on_parsed(
      [files] { return std::ranges::count(*files, false, validate) == 0 ? ExitCode::kOk : ExitCode::kData; });
}

struct Options {
  std::string result;               ///< Name of the result file.
  std::string log;                  ///< Name of the log.
  std::string part;                 ///< Part of the log to import; empty: all.
  std::optional<PowerScope> scope;  ///< Overrides the scope in the log.
  std::string device;               ///< Overrides the device in the log; empty: no override.
  DocumentOutput to;
  PowerLogOptions reading;
  EnergyMethod method = EnergyMethod::kTrapezoid;
};

void anonymize(const Options& options) {
  const auto share = [&](auto record, std::string (*to_text)(const decltype(record)&)) {
    const std::vector<std::string> removed = redact(record);
    log_info("{}: removed: {}", options.result, removed.empty() ? "nothing" : join(removed));
    write_document(options.to, "shared.json", to_text(record));
  };
  read_document_as(options.result, [&](const Json& document) {
    if (document_kind(document) == DocumentKind::kSelftest)
      share(selftest_from_json(document), selftest_document);
    else
      share(any_run_from_json(document), run_document);
  });
}

constexpr const char* kOutputHelp = "Output file or folder (default: stdout)";

void add_anonymize_command(CommandParser parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "FILE", "Result file", options->result).required();
  add_output(parser, kOutputHelp, options->to.output, options->to.overwrites);
  parser.footer(
      "Prints the keys of the removed values to stderr.\n"
      "Example:\n  gpubench file anonymize results/mine.json -o shared.json");
  parser.on_parsed([options] { anonymize(*options); });
}

TimeSpan make_span(const PowerTrace& trace) {
  return {trace.samples.front().time - trace.facts.averaging, trace.samples.back().time};
}

void extend(std::optional<TimeSpan>& whole, const TimeSpan& part) {
  if (!whole) whole = part;
  whole->begin = std::min(whole->begin, part.begin);
  whole->end = std::max(whole->end, part.end);
}

std::string range_text(const TimeSpan& span, bool is_monotonic) {
  if (is_monotonic)
    return fmt::format("from {:.0f} s to {:.0f} s of the system clock", span.begin.value, span.end.value);
  return fmt::format("from {} to {}", utc_text(span.begin), utc_text(span.end));
}

bool is_gpu(const PowerTrace& trace) {
  const PowerScope scope = trace.facts.scope;
  return scope == PowerScope::kGpuBoard || scope == PowerScope::kGpuRail || trace.facts.gpu != GpuIdentity();
}

std::string parts_text(const std::vector<PowerTrace>& traces) {
  return join(mapped(traces, [](const PowerTrace& trace) { return "'" + trace.facts.part + "'"; }));
}

class Import {
 public:
  Import(RunRecord& run, PowerLog& log, const Options& options) : run_(run), log_(log), options_(options) {
    for (const CaseRecord& record : run.cases) {
      if (record.device != "cpu") add_once(devices_, record.device);
    }
    std::ranges::sort(devices_);
  }

  /// Adds the energy, and reports cases without. Throws a usage Error for an unknown part, and a data Error
  /// if the log covers no case.
  void apply() {
    choose_traces();
    name_devices();
    check_limits();
    std::size_t with_energy = 0;
    std::map<std::string, std::vector<std::string>> refusals;  // Cases without energy, by the reason.
    for (CaseRecord& record : run_.cases) {
      if (const std::string why = add_to(record); why.empty())
        ++with_energy;
      else
        refusals[why].push_back(
            fmt::format("{} on {}, batch {}", record.model, record.device, record.batch_size));
    }
    if (!cases_) {
      throw Error(ErrorKind::kData,
                  "{}: no case has the times of its epochs{}; run it again with this version of gpubench",
                  options_.result, log_.is_monotonic ? " on the system clock" : "");
    }
    if (!covers_case_) refuse_uncovered();
    for (const std::string& note : log_.notes) log_info("{}: {}", options_.log, note);
    for (const auto& [reason, cases] : refusals) {
      const std::string more = cases.size() > 1 ? fmt::format(" and {} more", cases.size() - 1) : "";
      log_info("{}{}: no energy: {}", cases.front(), more, reason);
    }
    log_info("energy for {} of {} cases", with_energy, run_.cases.size());
  }

 private:
  /// Keeps the chosen part, and overrides scope and device by the options.
  void choose_traces() {
    if (!options_.part.empty()) {
      const std::string parts = parts_text(log_.traces);
      // The start of a name, an index, a UUID or a PCI address.
      const auto is_other = [&part = options_.part](const PowerTrace& trace) {
        const PowerSourceFacts& facts = trace.facts;
        const bool is_index = facts.gpu.index && facts.gpu.index == gpu_index(part);
        return facts.part != part && !facts.part.starts_with(part + " ") && !is_index &&
               facts.gpu.uuid != part && facts.gpu.pci_address != part;
      };
      std::erase_if(log_.traces, is_other);
      require(!log_.traces.empty(), "--part '{}': is not in the log; choose {}", options_.part, parts);
    }
    for (PowerTrace& trace : log_.traces) {
      if (options_.scope) trace.facts.scope = *options_.scope;
      if (!options_.device.empty()) trace.facts.device = options_.device;
    }
  }

  /// Names the device of each GPU in the log, and removes GPUs of other devices. Throws a data Error if more
  /// than one GPU could be the device of a case.
  void name_devices() {
    std::vector<PowerTrace*> gpus;
    for (PowerTrace& trace : log_.traces) {
      if (is_gpu(trace) && trace.facts.device.empty()) gpus.push_back(&trace);
    }
    if (gpus.empty()) return;
    if (devices_.empty()) return remove_others("all cases ran on cpu");
    const auto matches =
        match_gpus(mapped(gpus, [](const PowerTrace* gpu) { return gpu->facts.gpu; }), run_.environment);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      PowerSourceFacts& facts = gpus[i]->facts;
      facts.device = matches[i].device;
      const std::string& why = matches[i].why_unknown;
      if (why.empty()) continue;
      if (gpus.size() > 1) {
        throw Error(ErrorKind::kData,
                    "{}: cannot tell which GPU ({}) is {} ({}); choose one, as in --part '{}'", options_.log,
                    parts_text(log_.traces), join(devices_), why, facts.part);
      }
      if (!may_be_sole(facts)) {
        throw Error(ErrorKind::kData, "{}: cannot tell whether '{}' is {} ({}); if it is, add --device {}",
                    options_.log, facts.part, join(devices_), why, devices_.front());
      }
      facts.device = devices_.front();
      log_.notes.push_back(fmt::format("'{}' was assumed to be {}: {}", facts.part, facts.device, why));
    }
    const Measured<std::string>& visible = run_.environment.visible_devices;
    const bool is_set = visible.has_value() && visible.value() != "none";
    remove_others(fmt::format("the run used other devices ({}{})", join(devices_),
                              is_set ? " with " + visible.value() : ""));
  }

  /// Throws a data Error if powers exceed the limit of their device, or are far below it: in another unit.
  void check_limits() const {
    for (const PowerTrace& trace : log_.traces) {
      const auto device =
          std::ranges::find(run_.environment.devices, trace.facts.device, &DeviceRecord::name);
      if (trace.facts.scope != PowerScope::kGpuBoard || device == run_.environment.devices.end()) continue;
      const double limit = device->power_limit.value_or({0}).value;
      double highest = 0;
      for (const PowerSample& sample : trace.samples)
        highest = std::max(highest, sample.reading.power.value_or({0}).value);
      constexpr double kOvershoot = 1.25;
      constexpr double kLeast = 0.005;  // Share of the limit that a GPU in use exceeds at least once.
      if (!(limit > 0) || (highest <= kOvershoot * limit && highest >= kLeast * limit)) continue;
      throw Error(
          ErrorKind::kData,
          "{}: '{}' has readings up to {:.4g} W, but the power limit of {} is {:.4g} W; state the unit in "
          "--log-format, as in power=COLUMN:{}",
          options_.log, trace.facts.part, highest, device->name, limit,
          highest < limit         ? "kW"
          : highest < 1e5 * limit ? "mW"
                                  : "uW");
    }
  }

  /// Returns true if the log's only GPU may be the run's only GPU: no name contradicts that.
  bool may_be_sole(const PowerSourceFacts& facts) const {
    const bool is_open = !run_.environment.visible_devices.has_value() || facts.gpu == GpuIdentity();
    return devices_.size() == 1 && (is_open || !options_.part.empty());
  }

  /// Removes GPUs without a device. Throws a data Error if no trace is left.
  void remove_others(const std::string& why) {
    const std::string parts = parts_text(log_.traces);
    std::erase_if(log_.traces,
                  [](const PowerTrace& trace) { return is_gpu(trace) && trace.facts.device.empty(); });
    if (!log_.traces.empty()) return;
    throw Error(ErrorKind::kData,
                "{}: measures {}, but {}; give the log of the run's device, or name the device with --device",
                options_.log, parts, why);
  }

  /// Adds the energy of the case. Returns why it is missing; empty after success.
  std::string add_to(CaseRecord& record) {
    const auto to_seconds = [](const Stamp& stamp) {
      return stamp.local - stamp.utc_offset.value_or(Seconds{0});
    };
    // On the clock of the log.
    const Measured<Seconds> start =
        log_.is_monotonic ? record.clock_start
                          : record.started_at.then([](const std::string& text) { return parse_stamp(text); })
                                .then(to_seconds);
    const std::vector<TimeSpan> windows =
        start.has_value() ? epoch_windows(record, start.value()) : std::vector<TimeSpan>();
    if (windows.empty()) return "the times of its epochs are unknown";
    const TimeSpan span{windows.front().begin, windows.back().end};
    extend(cases_, span);
    const std::vector<const PowerTrace*> traces = find_traces(record, span);
    if (traces.empty()) return "the log does not cover its time or its device";
    covers_case_ = true;
    for (const PowerTrace* trace : traces) {
      EnergyRecord fresh = account_for(*trace, record, {.case_start = start.value()}, options_.method);
      // The folder is private.
      const std::string name = std::filesystem::path(options_.log).filename().string();
      fresh.notes.push_back(fmt::format("imported from {} ({})", name, log_.format));
      append(fresh.notes, log_.notes);
      put(record, std::move(fresh));
    }
    record.energy_note.clear();
    const Measured<CaseEnergy> energy = case_energy(record);
    return energy.has_value() ? "" : energy.reason();
  }

  std::vector<const PowerTrace*> find_traces(const CaseRecord& record, const TimeSpan& span) {
    std::vector<const PowerTrace*> traces;
    for (const PowerTrace& trace : log_.traces) {
      const TimeSpan log = make_span(trace);
      if (log.end <= span.begin || span.end <= log.begin) continue;
      // A GPU's power belongs to cases on that GPU. Several ranks may have a GPU each.
      const bool is_own = !is_gpu(trace) || trace.facts.device == record.device || record.ranks > 1;
      if (is_own) traces.push_back(&trace);
      is_of_others_ = is_of_others_ || !is_own;
    }
    // Rails of unknown scope count only if the log has no other sources.
    const auto has_scope = [](const PowerTrace* trace) { return trace->facts.scope != PowerScope::kUnknown; };
    if (std::ranges::any_of(traces, has_scope)) std::erase_if(traces, std::not_fn(has_scope));
    if (!log_.is_monotonic) refuse_rivals(traces);
    return traces;
  }

  /// Throws a data Error if several parts have the same scope: only for logs of gpubench is it known that
  /// they add up.
  void refuse_rivals(const std::vector<const PowerTrace*>& traces) const {
    for (const PowerTrace* trace : traces) {
      const PowerSourceFacts& facts = trace->facts;
      std::vector<PowerTrace> rivals;
      for (const PowerTrace* other : traces) {
        if (other->facts.scope == facts.scope && other->facts.device == facts.device)
          rivals.push_back({other->facts, {}});
      }
      if (rivals.size() < 2) continue;
      throw Error(ErrorKind::kData, "{}: {} have the same scope, {}; choose one with --part", options_.log,
                  parts_text(rivals), to_string(facts.scope));
    }
  }

  /// Adds a record, or replaces that of the same source.
  static void put(CaseRecord& record, EnergyRecord fresh) {
    const auto old = std::ranges::find_if(record.energy, [&](const EnergyRecord& energy) {
      return energy.meter == fresh.meter && energy.part == fresh.part;
    });
    if (old == record.energy.end()) {
      record.energy.push_back(std::move(fresh));
      return;
    }
    // Idle power that was measured around the case remains valid.
    for (const auto idle : {&EnergyRecord::idle_before, &EnergyRecord::idle_after})
      if (!(fresh.*idle).has_value()) fresh.*idle = (*old).*idle;
    *old = std::move(fresh);
  }

  [[noreturn]] void refuse_uncovered() const {
    if (is_of_others_) {
      throw Error(ErrorKind::kData, "{}: measures {}, not a device of {} ({}); name the device with --device",
                  options_.log, parts_text(log_.traces), options_.result, join(devices_));
    }
    std::optional<TimeSpan> log;
    for (const PowerTrace& trace : log_.traces) extend(log, make_span(trace));
    throw Error(
        ErrorKind::kData, "{}: covers no case: it is {}, the epochs of {} are {}; set {}", options_.log,
        range_text(*log, log_.is_monotonic), options_.result, range_text(*cases_, log_.is_monotonic),
        log_.is_monotonic ? "--clock-offset, or give the log of this run" : "--time-zone or --clock-offset");
  }

  RunRecord& run_;
  PowerLog& log_;
  const Options& options_;
  std::vector<std::string> devices_;  // GPUs of the run's cases, sorted.
  std::optional<TimeSpan> cases_;     // From the first to the last epoch of all cases.
  bool covers_case_ = false;          // The log has power of a case.
  bool is_of_others_ = false;         // The log covers the time of a case, but only other devices.
};

/// Parses a duration that may have a sign.
Seconds parse_offset(const std::string& text, const std::string& option) {
  const bool is_negative = text.starts_with("-");
  const Seconds duration = parse_duration(text.substr(is_negative || text.starts_with("+") ? 1 : 0), option);
  return is_negative ? Seconds{0} - duration : duration;
}

void add_import_power(CommandParser parser) {
  const auto options = std::make_shared<Options>();
  parser.option("result", "RESULT", "Result file of a run", options->result).required();
  parser.option("log", "LOG", "Power log recorded during the run", options->log).required();
  add_output(parser, kOutputHelp, options->to.output, options->to.overwrites);
  PowerLogOptions& reading = options->reading;
  parser
      .add("--log-format", "FORMAT", "Tool, or columns: 'time=1 power=3:W' (default: detected)",
           [&reading](const std::string& word) {
             check_power_log_format(word, "--log-format");
             reading.format = word;
           })
      .offers(power_log_formats);
  parser.add(
      "--clock-offset", "TIME", "Time to add to the timestamps of the log: 2s, -1.5s",
      [&reading](const std::string& word) { reading.clock_offset = parse_offset(word, "--clock-offset"); });
  parser.add(
      "--time-zone", "ZONE", "Zone of timestamps without one: +01:00 (default: local)",
      [&reading](const std::string& word) { reading.utc_offset = parse_utc_offset(word, "--time-zone"); });
  parser
      .option("--energy-method", "NAME", "Integration of power: trapezoid (default), spike-q30",
              options->method)
      .offers(known_names<EnergyMethod>);
  parser.option("--part", "NAME", "Source in the log: 'GPU 0' or a UUID (default: all)", options->part);
  parser.option("--scope", "NAME", "Scope of the power: gpu-board, system (default: log)", options->scope)
      .offers(known_names<PowerScope>);
  parser.option("--device", "NAME", "Device that the log measured: cuda:1 (default: log)", options->device)
      .offers(device_names);
  parser.footer(
      "'gpubench list log-formats' lists the tools whose logs are recognized.\n"
      "Examples:\n"
      "  gpubench file import-power run.json power.csv -o run-with-energy.json\n"
      "  gpubench file import-power run.json power.csv --log-format 'time=Date+Time power=Watt:W'\n"
      "  gpubench file import-power run.json power.txt --clock-offset -2.5s > new.json");
  parser.on_parsed([options] {
    RunRecord run = read_run_file(options->result);
    PowerLog log = read_power_log(options->log, options->reading);
    Import(run, log, *options).apply();
    write_document(options->to, options->result, run_document(run));
  });
}

void add_options(CommandParser& parser) {
  parser.footer(
      "Examples:\n  gpubench file validate results/*.json\n"
      "  gpubench file anonymize results/mine.json -o shared.json\n"
      "  gpubench file import-power run.json power.csv -o run-with-energy.json");
  add_validate(parser.subcommand("validate", "Check schema, derived values and checksum"));
  add_anonymize_command(parser.subcommand("anonymize", "Remove host name, command line and paths"));
  add_import_power(parser.subcommand("import-power", "Add energy from a power log to a run"));
  parser.require_subcommand("file: no subcommand; name one, as in 'gpubench file validate run.json'");
}

}  // namespace

CommandEntry entry_file() { return {"file", "Validate or anonymize files; import power logs", add_options}; }

}  // namespace gpubench::file_plugin
