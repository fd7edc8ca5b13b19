#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "app/ab/variants.h"
#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/device_tables.h"
#include "app/files/result_file.h"
#include "app/run/engine_loader.h"
#include "app/run/run.h"
#include "app/run/terminal.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/utf8.h"
#include "power/trace/diagnosis.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace selftest_plugin {
namespace {

struct Options : DeviceOptions {
  std::vector<std::string> only;  ///< Names of checks; empty: all.
  std::string meter = "auto";     ///< Argument of open_meters().
  bool is_here = false;           ///< Run the checks in this process. Set for the process of each check.
};

constexpr Seconds kCheckTimeout{120};
constexpr Seconds kTotalTime{270};  // No check begins later.

class WallClock : public Clock {
 public:
  Seconds now() const override {
    return {std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count()};
  }
};

std::vector<CheckRow> check_here(const Engine& engine, const Options& options) {
  const WallClock wall;
  const SteadyClock clock;
  const Environment metered = metered_environment(engine.read_environment(), usable_gpus(engine));
  const auto try_meters = [&](const std::function<void()>& load) {
    return try_power(open_meters(options.meter, clock, metered), metered.available_cores, clock, [&] {
      const Seconds begin = clock.now();
      load();
      return TimeSpan{begin, clock.now()};
    });
  };
  const SelftestMeans means{
      wall, [](const DataSpec& spec, const SplitSizes& sizes) { return make_synthetic(spec, sizes, 1); },
      try_meters};
  const auto device = engine.open_device(options.devices.front());
  std::vector<CheckRow> rows;
  for (const std::string& name : options.only) append(rows, engine.run_check(name, *device, clock, means));
  return rows;
}

CheckRow with_status(CheckRow row, CheckStatus status, const std::string& message) {
  row.status = status;
  row.message = message;
  return row;
}

/// Returns the rows that a process printed, or a failed row if it printed none.
std::vector<CheckRow> make_rows(const CheckRow& planned, const ProcessEnd& run) {
  const auto failed = [&](const std::string& why) {
    const std::vector<std::string>& lines = run.end.stderr_tail;
    const std::string last = lines.empty() || run.is_timeout ? "" : ": " + lines.back();
    return std::vector{with_status(planned, CheckStatus::kFail, why + last)};
  };
  if (run.is_timeout) return failed(fmt::format("timed out after {:.0f} s", kCheckTimeout.value));
  if (run.end.signal != 0) return failed(fmt::format("the process was killed by signal {}", run.end.signal));
  try {
    return selftest_from_json(parse_document(run.printed)).checks;
  } catch (const Error&) {
    return failed(fmt::format("the process ended with exit code {}", run.end.exit_code));
  }
}

/// Returns a row for each check on each device.
std::vector<CheckRow> planned_rows(const Engine& engine, const std::vector<std::string>& devices,
                                   const Options& options) {
  const std::vector<CheckInfo> known = engine.checks();
  for (const std::string& name : options.only) {
    if (std::ranges::count(known, name, &CheckInfo::name) == 0)
      throw_unknown_name("--only", "check", name, names_in(known));
  }
  std::vector<CheckRow> rows;
  for (const std::string& device : devices) {
    for (const CheckInfo& check : known) {
      if (!options.only.empty() && std::ranges::count(options.only, check.name) == 0) continue;
      CheckRow& row = rows.emplace_back();
      row.device = device;
      row.check = check.name;
      row.claim = check.claim;
      row.deviation = row.tolerance = missing("nothing was compared");
    }
  }
  return rows;
}

/// Runs each check in a separate process. Returns false if the user interrupted it.
bool run_all(const std::vector<CheckRow>& planned, const Options& options, SelftestRecord& record) {
  const bool is_watched = shows_progress(options.is_quiet);
  const auto interrupts = watch_interrupts("check");
  const SteadyClock clock;
  const Seconds start = clock.now();
  std::size_t number = 0;
  for (const CheckRow& row : planned) {
    if (is_watched)
      draw_status(fmt::format("{}check {} of {}: {}", kClearLine, ++number, planned.size(), row.check));
    if (clock.now() - start > kTotalTime) {
      record.checks.push_back(with_status(row, CheckStatus::kUnchecked,
                                          "the selftest ran out of time; run this check with --only"));
      continue;
    }
    std::vector<std::string> words = worker_prefix();
    append(words, std::vector<std::string>{
                      executable_path(), "selftest", "--here", "--only", row.check, "--device", row.device,
                      "--threads", std::to_string(options.threads), "--meter", options.meter, "-o", "-"});
    append(record.checks, make_rows(row, run_command(words, kCheckTimeout, *interrupts)));
    if (interrupts->count() > 0) break;
  }
  if (is_watched) draw_status(kClearLine);
  return interrupts->count() == 0;
}

ExitCode test_devices(const Options& options) {
  const Engine& engine = load_engine();
  engine.configure(options.threads);
  const std::vector<std::string> devices = resolve_devices(engine, options.devices);
  SelftestRecord record{tool_record(options.arguments, utc_timestamp()), engine.read_environment(), {}};
  bool is_whole = true;
  std::optional<ResultFile> file;
  if (options.is_here) {
    record.checks = check_here(engine, options);
  } else {
    open_meters(options.meter, SteadyClock(), record.environment);  // Throws for an unknown meter.
    const std::vector<CheckRow> planned = planned_rows(engine, devices, options);
    file = open_result(options, "selftest-", record.tool.started_at, devices);
    if (!options.is_quiet) log_info("selftest: takes up to 5 minutes; other load may cause failures");
    is_whole = run_all(planned, options, record);
  }
  for (const std::string& name : devices)
    record.environment.devices.push_back(engine.open_device(name)->record());
  record.tool.finished_at = utc_timestamp();
  finish_result(file, selftest_document(record), selftest_table(record.checks), options.is_quiet);
  if (!is_whole) return ExitCode::kInterrupted;
  const bool has_failed = std::ranges::count(record.checks, CheckStatus::kFail, &CheckRow::status) > 0;
  return has_failed ? ExitCode::kCaseFailed : ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_device_options(parser, *options);
  parser.list("--only", "NAME,...", "Names of checks to run, such as losses (default: all)", options->only)
      .offers([] { return names_in(load_engine().checks()); });
  parser.option("--meter", "NAME,...", "Power meters to check (default auto)", options->meter)
      .offers(meter_names);
  parser.flag("--here", "Run the checks in this process", options->is_here);
  parser.hide({"--here"});
  parser.footer(
      "Exit code 5: a check failed. List of checks: gpubench help checking-a-device\n"
      "Examples:\n  gpubench selftest\n  gpubench selftest --device cuda:0 -o selftest.json");
  parser.on_parsed([options] { return test_devices(*options); });
}

}  // namespace

CommandEntry entry_selftest() {
  return {"selftest", "Check that measurements on a device can be trusted", add_options};
}

}  // namespace selftest_plugin

std::string selftest_table(const std::vector<CheckRow>& checks) {
  TextTable table({{""}, {"device"}, {"check"}, {"subject"}, {"result"}});
  for (const CheckRow& row : checks) {
    const bool is_unchecked = row.status == CheckStatus::kUnchecked;
    table.add_row({is_unchecked                       ? "--"
                   : row.status == CheckStatus::kPass ? "ok"
                                                      : "FAIL",
                   row.device, row.check, row.subject,
                   is_unchecked ? "cannot be checked: " + row.message : row.message});
  }
  const auto count = [&](CheckStatus status) {
    return std::ranges::count(checks, status, &CheckRow::status);
  };
  return fmt::format("{}\n{} passed, {} failed, {} cannot be checked on this machine\n",
                     table.to_string(output_width()), count(CheckStatus::kPass), count(CheckStatus::kFail),
                     count(CheckStatus::kUnchecked));
}

}  // namespace gpubench
