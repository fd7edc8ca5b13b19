#include <optional>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "app/run/device_reports.h"
#include "app/run/engine_loader.h"
#include "app/run/planned_run.h"
#include "device/host/host.h"
#include "engine/machine/facts.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "record/document/record_json.h"

namespace gpubench::peak_plugin {
namespace {

struct Options : ResultOutput {
  std::vector<std::string> devices{"auto"};
  int threads = 0;        ///< As in RunOptions.
  bool is_quick = false;  ///< A trial of about a second instead of the full measurement.
};

/// Measures one device, and keeps its figures for later runs.
PeakMeasurement measure(const Engine& engine, const std::string& name, const Options& options,
                        const Environment& environment) {
  const bool is_watched = shows_progress(options.is_quiet);
  const TellPoint tell = [&](const PeakPoint& point) {
    if (is_watched) draw_status(kClearLine + point_text(name, point));
  };
  if (!options.is_quiet) {
    log_info("measuring {} for {}; other load on it lowers the figures", name,
             options.is_quick ? "a moment" : "about a minute");
  }
  const PeakEffort effort = options.is_quick ? PeakEffort::kTrial : PeakEffort::kFull;
  const auto device = engine.open_device(name);
  PeakMeasurement measured = engine.measure_peak(*device, SteadyClock(), effort, tell);
  if (is_watched) draw_status(kClearLine);
  peak_store().keep(effort, measured.device, environment);
  for (PeakPoint& point : measured.points) point.device = name;
  return measured;
}

ExitCode measure_peaks(const Options& options, const std::vector<std::string>& arguments) {
  forbid_mps_fallback(options.is_quiet);
  check_threads(options.threads);
  const Engine& engine = load_engine();
  engine.configure(options.threads);
  ToolRecord tool = tool_record(arguments, utc_timestamp());
  const Environment host = engine.read_environment();
  if (!host.threads_note.empty() && !options.is_quiet) log_info("warning: {}", host.threads_note);
  const std::vector<std::string> names = resolve_devices(engine, options.devices);
  const std::optional<ResultFile> file = open_result(options, "peak-", tool.started_at, names);
  const auto awake = keep_awake();
  Environment environment = host;
  std::vector<PeakPoint> points;
  for (const std::string& name : names) {
    PeakMeasurement measured = measure(engine, name, options, host);
    environment.devices.push_back(std::move(measured.device));
    append(points, std::move(measured.points));
  }
  tool.finished_at = utc_timestamp();
  finish_result(file, peak_document({tool, environment, points}), peak_table(points), options.is_quiet);
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_devices(parser, options->devices);
  add_threads(parser, options->threads);
  parser.flag("--quick", "Measure for a second per device instead of a minute", options->is_quick);
  add_result_output(parser, *options);
  parser.footer("Examples:\n  gpubench peak\n  gpubench peak --device cpu,cuda -o peaks/");
  parser.on_parsed(
      [options, arguments = parser.line().arguments] { return measure_peaks(*options, arguments); });
}

}  // namespace

CommandEntry entry_peak() { return {"peak", "Measure peak FLOP/s, bandwidth and latency", add_options}; }

}  // namespace gpubench::peak_plugin
