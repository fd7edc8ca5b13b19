#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "app/ab/sides.h"
#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "app/run/engine_loader.h"
#include "app/run/interrupt_watch.h"
#include "app/run/planned_run.h"
#include "app/run/selftest_report.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/record/redaction.h"
#include "power/trace/diagnosis.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::vector<std::string> devices{"auto"};
  std::vector<std::string> only;  ///< Names of checks; empty: all.
  std::string meter = "auto";     ///< As in EnergyOptions.
  int threads = 0;                ///< As in TrainOptions.
  std::string output;             ///< File, folder or "-"; empty means a new file in results/.
  bool overwrites = false;        ///< Also what is there already.
  bool is_shared = false;         ///< The document is written redacted.
  bool is_here = false;           ///< In this process: how each check is started.
  bool is_quiet = false;
};

/// A check that takes longer hangs,
constexpr Seconds kLongest{120};
/// and none begins when all together have taken so long.
constexpr Seconds kBudget{270};

// One check, in the process that is its own.

/// The time of day, by which no duration is measured otherwise.
class WallClock : public Clock {
 public:
  Seconds now() const override {
    return {std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count()};
  }
};

PowerTrial try_meters(const std::string& meters, const Environment& run, const std::function<void()>& load) {
  const SteadyClock clock;
  return try_power(open_meters(meters, clock, run), clock, [&] {
    const Seconds begin = clock.now();
    load();
    return TimeSpan{begin, clock.now()};
  });
}

/// The rows of the checks that are named, on one device.
std::vector<CheckRow> check_here(const Engine& engine, const Options& options) {
  const WallClock wall;
  const Environment metered = metered_environment(engine.read_environment(), usable_gpus(engine));
  const SelftestMeans means{
      wall, [](const DataSpec& spec, const SplitSizes& sizes) { return make_synthetic(spec, sizes, 1); },
      [&](const std::function<void()>& load) { return try_meters(options.meter, metered, load); }};
  const auto device = engine.open_device(options.devices.front());
  std::vector<CheckRow> rows;
  for (const std::string& name : options.only)
    append(rows, engine.run_check(name, *device, SteadyClock(), means));
  return rows;
}

// All of them.

/// How one check is asked for.
struct Order {
  CheckInfo check;
  std::string device;
};

std::vector<std::string> words_for(const Order& order, const Options& options) {
  std::vector<std::string> words = worker_prefix();
  append(words,
         std::vector<std::string>{executable_path(), "selftest", "--here", "--only", order.check.name,
                                  "--device", order.device, "--threads", std::to_string(options.threads),
                                  "--meter", options.meter, "-o", "-"});
  return words;
}

CheckRow row_without(const Order& order, CheckStatus status, const std::string& message) {
  CheckRow row;
  row.device = order.device;
  row.check = order.check.name;
  row.claim = order.check.claim;
  row.status = status;
  row.message = message;
  row.deviation = row.tolerance = missing("nothing was compared");
  return row;
}

std::string last_words(const ProcessEnd& run) {
  const std::vector<std::string>& lines = run.end.stderr_tail;
  return lines.empty() ? "" : ": " + lines.back();
}

/// The rows that a process printed, or one that says how it ended.
std::vector<CheckRow> make_rows(const Order& order, const ProcessEnd& run) {
  const auto failed = [&](const std::string& why) {
    return std::vector{row_without(order, CheckStatus::kFail, why)};
  };
  if (run.is_timeout) return failed(fmt::format("it did not end within {:.0f} s", kLongest.value));
  if (run.end.signal != 0)
    return failed(fmt::format("its process was ended by signal {}{}", run.end.signal, last_words(run)));
  try {
    return selftest_from_json(parse_document(run.printed)).checks;
  } catch (const Error&) {
    return failed(fmt::format("its process ended with code {}{}", run.end.exit_code, last_words(run)));
  }
}

std::vector<Order> orders_for(const Engine& engine, const Options& options) {
  std::vector<std::string> devices;
  for (const std::string& word : options.devices) add_once(devices, engine.resolve_device(word));
  const std::vector<CheckInfo> known = engine.checks();
  for (const std::string& name : options.only) {
    require(std::ranges::find(known, name, &CheckInfo::name) != known.end(), "--only: {}",
            unknown_name_message("check", name, names_in(known)));
  }
  std::vector<Order> orders;
  for (const std::string& device : devices) {
    for (const CheckInfo& check : known) {
      const bool is_wanted =
          options.only.empty() || std::ranges::find(options.only, check.name) != options.only.end();
      if (is_wanted) orders.push_back({check, device});
    }
  }
  return orders;
}

/// Carries the orders out, one process after the other. False where the user ended that.
bool run_all(const std::vector<Order>& orders, const Options& options, SelftestRecord& record) {
  const bool is_watched = !options.is_quiet && isatty(STDERR_FILENO) != 0;
  InterruptWatch interrupts(/*ends_at_second=*/false, "check");
  const SteadyClock clock;
  const Seconds start = clock.now();
  std::size_t number = 0;
  for (const Order& order : orders) {
    if (is_watched)
      draw_status(fmt::format("{}check {} of {}: {}", kClearLine, ++number, orders.size(), order.check.name));
    if (clock.now() - start > kBudget) {
      record.checks.push_back(row_without(order, CheckStatus::kUnchecked,
                                          "the time for all checks was over; name it with --only"));
      continue;
    }
    append(record.checks, make_rows(order, run_command(words_for(order, options), kLongest, interrupts)));
    if (interrupts.count() > 0) break;
  }
  if (is_watched) draw_status(kClearLine);
  return interrupts.count() == 0;
}

std::optional<ResultFile> open_result(const Options& options, const std::vector<Order>& orders,
                                      const std::string& started_at) {
  if (options.output == "-") return std::nullopt;
  std::vector<std::string> devices;
  for (const Order& order : orders) add_once(devices, order.device);
  const std::string host = options.is_shared ? "shared" : host_name();
  return ResultFile(options.output, "selftest-" + result_name(started_at, host, devices), options.overwrites);
}

void add_devices(const Engine& engine, SelftestRecord& record) {
  for (const CheckRow& row : record.checks) {
    if (!std::ranges::count(record.environment.devices, row.device, &DeviceRecord::name))
      record.environment.devices.push_back(engine.open_device(row.device)->record());
  }
}

void finish(SelftestRecord record, const std::optional<ResultFile>& file, const Options& options) {
  record.tool.finished_at = utc_timestamp();
  const std::string table = selftest_table(record.checks);
  if (options.is_shared) redact(record);
  if (!file) return print(selftest_document(record));
  file->finish(selftest_document(record), table);
  if (!options.is_quiet) log_info("result in " + file->path().string());
}

ExitCode test_devices(const Options& options, const std::vector<std::string>& arguments) {
  check_threads(options.threads);
  const Engine& engine = load_engine();
  engine.configure(options.threads);
  SelftestRecord record{tool_record(arguments, utc_timestamp()), engine.read_environment(), {}};
  bool is_whole = true;
  std::optional<ResultFile> file;
  if (options.is_here) {
    record.checks = check_here(engine, options);
  } else {
    open_meters(options.meter, SteadyClock(), record.environment);  // Says at once what is no meter.
    const std::vector<Order> orders = orders_for(engine, options);
    file = open_result(options, orders, record.tool.started_at);
    if (!options.is_quiet) log_info("this takes up to five minutes; leave the machine alone meanwhile");
    is_whole = run_all(orders, options, record);
  }
  add_devices(engine, record);
  const bool is_fine = !has_failed(record.checks);
  finish(std::move(record), file, options);
  if (!is_whole) return ExitCode::kInterrupted;
  return is_fine ? ExitCode::kOk : ExitCode::kCaseFailed;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_devices(parser, options->devices);
  parser.list("--only", "NAME,...", "These checks alone (docs/selftest.md has them)", options->only)
      .offers([] { return names_in(load_engine().checks()); });
  parser.option("--meter", "NAME,...", "Which power meters (default auto)", options->meter)
      .offers(meter_names);
  add_threads(parser, options->threads);
  add_output(parser, "Document, folder, or - for stdout", options->output, options->overwrites);
  parser.flag("--anonymize", "Removes host name, command line, paths and other texts from the result",
              options->is_shared);
  add_quiet(parser, options->is_quiet);
  parser.flag("--here", "Makes the checks in this process", options->is_here);
  parser.hide({"--here"});
  parser.footer(
      "Exits with 5 where a check fails.\n"
      "Examples:\n  gpubench selftest\n  gpubench selftest --device cuda:0 --anonymize -o selftest.json");
  parser.on_parsed(
      [options, arguments = parser.line().arguments] { return test_devices(*options, arguments); });
}

}  // namespace

CommandEntry entry_selftest() {
  return {"selftest", "Whether what gpubench says of a device is true, in under five minutes",
          CommandKind::kListed, add_options};
}

}  // namespace gpubench
