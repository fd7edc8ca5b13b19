#include <algorithm>
#include <optional>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "app/run/engine_loader.h"
#include "app/run/peak_report.h"
#include "app/run/planned_run.h"
#include "device/host/host.h"
#include "engine/machine/facts.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

struct Options {
  std::vector<std::string> devices{"auto"};
  int threads = 0;          ///< As in TrainOptions.
  std::string output;       ///< File, folder or "-"; empty means a new file in results/.
  bool overwrites = false;  ///< Also what is there already.
  bool is_quick = false;    ///< A trial of about a second instead of the full measurement.
  bool is_quiet = false;
};

/// The resolved devices, each once.
std::vector<std::string> resolve(const Engine& engine, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const std::string& word : wanted) add_once(names, engine.resolve_device(word));
  return names;
}

std::optional<ResultFile> open_result(const Options& options, const std::vector<std::string>& devices,
                                      const std::string& started_at) {
  if (options.output == "-") return std::nullopt;
  return ResultFile(options.output, "peak-" + result_name(started_at, host_name(), devices),
                    options.overwrites);
}

/// One device; the figures are kept for later runs.
PeakMeasurement measure(const Engine& engine, const std::string& name, const Options& options,
                        const Environment& environment) {
  const bool is_watched = shows_progress(options.is_quiet);
  const TellPoint tell = [&](const PeakPoint& point) {
    if (is_watched) draw_status(kClearLine + point_text(name, point));
  };
  if (!options.is_quiet) {
    log_info("measuring {} for {}; what else runs on it lowers the figures", name,
             options.is_quick ? "a moment" : "about a minute");
  }
  const PeakEffort effort = options.is_quick ? PeakEffort::kTrial : PeakEffort::kFull;
  const auto device = engine.open_device(name);
  PeakMeasurement measured = engine.measure_peak(*device, SteadyClock(), effort, tell);
  if (is_watched) draw_status(kClearLine);
  peak_store().keep(effort, measured.device, environment);
  return measured;
}

void finish(const PeakReport& report, const std::optional<ResultFile>& file, bool is_quiet) {
  const std::string document = peak_document(report);
  if (!file) {
    print(document);
    return;
  }
  file->finish(document, peak_table(report.devices));
  if (!is_quiet) log_info("result in " + file->path().string());
}

ExitCode measure_peaks(const Options& options, const std::vector<std::string>& arguments) {
  forbid_mps_fallback(options.is_quiet);
  check_threads(options.threads);
  const Engine& engine = load_engine();
  engine.configure(options.threads);
  PeakReport report{tool_record(arguments, utc_timestamp()), engine.read_environment(), {}};
  const std::string& note = report.environment.threads_note;
  if (!note.empty() && !options.is_quiet) log_info("warning: {}", note);
  const std::vector<std::string> names = resolve(engine, options.devices);
  const std::optional<ResultFile> file = open_result(options, names, report.tool.started_at);
  const auto awake = keep_awake();
  for (const std::string& name : names) {
    report.devices.push_back(measure(engine, name, options, report.environment));
    report.environment.devices.push_back(report.devices.back().device);
  }
  report.tool.finished_at = utc_timestamp();
  finish(report, file, options.is_quiet);
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_devices(parser, options->devices);
  add_threads(parser, options->threads);
  parser.flag("--quick", "A trial of about a second, instead of a minute a device", options->is_quick);
  add_output(parser, "Document, folder, or - for stdout", options->output, options->overwrites);
  add_quiet(parser, options->is_quiet);
  parser.footer("Examples:\n  gpubench peak\n  gpubench peak --device cpu,cuda -o peaks/");
  parser.on_parsed(
      [options, arguments = parser.line().arguments] { return measure_peaks(*options, arguments); });
}

}  // namespace

CommandEntry entry_peak() {
  return {"peak", "What this machine reaches at best, for later runs to compare", CommandKind::kListed,
          add_options};
}

}  // namespace gpubench
