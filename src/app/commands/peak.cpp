#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/device_tables.h"
#include "app/files/result_file.h"
#include "app/run/engine_loader.h"
#include "app/run/run.h"
#include "device/host/host.h"
#include "engine/api/peak.h"
#include "engine/machine/facts.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace peak_plugin {
namespace {

struct Options : DeviceOptions, StoreOptions {
  bool is_quick = false;  ///< Measure for about a second instead of a minute.
};

std::string subject(const PeakPoint& point) {
  if (point.kind == PeakKind::kGemm) return "matrix product " + point.precision;
  if (point.kind == PeakKind::kConvolution) return "convolution " + point.precision;
  if (point.kind == PeakKind::kHostToDevice) return "host to device";
  if (point.kind == PeakKind::kLaunch) return "launch of an operation";
  if (point.kind == PeakKind::kGraphNode) return "operation in a CUDA graph";
  return "memory " + to_string(point.kind);
}

/// Returns the size at which the value was measured, or the reason for a missing value.
std::string note(const PeakPoint& point) {
  if (!point.value.has_value()) return point.value.reason();
  if (point.kind == PeakKind::kGemm) return fmt::format("{0} x {0}", point.size);
  if (point.kind == PeakKind::kConvolution) return fmt::format("{} channels", point.size);
  if (find_unit(point.kind) == "B/s") return "arrays of " + byte_text({point.size});
  return "";
}

std::string value_text(const PeakPoint& point) {
  return point.value.has_value() ? prefixed_text(point.value.value(), find_unit(point.kind)) : "-";
}

/// Measures one device, and stores its peaks for later runs.
PeakMeasurement measure(const Engine& engine, const std::string& name, const Options& options,
                        const Environment& environment, MachineFacts& facts) {
  const bool is_watched = shows_progress(options.is_quiet);
  const ReportPoint report = [&](const PeakPoint& point) {
    if (!is_watched) return;
    const std::string precision = point.precision.empty() ? "" : " " + point.precision;
    const std::string size = point.size > 0 ? fmt::format(" {}", point.size) : "";
    // "cpu: gemm fp32 1024: 143 GFLOP/s"
    draw_status(fmt::format("{}{}: {}{}{}: {}", kClearLine, name, to_string(point.kind), precision, size,
                            value_text(point)));
  };
  if (!options.is_quiet) {
    log_info("{}: measuring for about {}; other load lowers the results", name,
             options.is_quick ? "a second" : "a minute");
  }
  const PeakEffort effort = options.is_quick ? PeakEffort::kTrial : PeakEffort::kFull;
  const auto device = engine.open_device(name);
  PeakMeasurement measured = engine.measure_peak(*device, SteadyClock(), effort, report);
  if (is_watched) draw_status(kClearLine);
  PeakStore(facts).keep(effort, measured.device, environment);
  for (PeakPoint& point : measured.points) point.device = name;
  return measured;
}

void measure_peaks(const Options& options) {
  forbid_mps_fallback(options.is_quiet);
  const Engine& engine = load_engine();
  engine.configure(options.threads);
  const Environment host = engine.read_environment();
  PeakRecord record{tool_record(options.arguments, utc_timestamp()), host, {}};
  if (!host.threads_note.empty() && !options.is_quiet) log_info("warning: {}", host.threads_note);
  const std::vector<std::string> names = resolve_devices(engine, options.devices);
  const std::optional<ResultFile> file = open_result(options, "peak-", record.tool.started_at, names);
  const auto awake = keep_awake();
  OptionalStore store = open_store(options);
  for (const std::string& name : names) {
    PeakMeasurement measured = measure(engine, name, options, host, store);
    record.environment.devices.push_back(std::move(measured.device));
    append(record.points, std::move(measured.points));
  }
  record.tool.finished_at = utc_timestamp();
  finish_result(file, peak_document(record), peak_table(record.points), options.is_quiet);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_device_options(parser, *options);
  add_store(parser, *options);
  parser.flag("--quick", "Measure each device for a second instead of a minute", options->is_quick);
  parser.footer("Examples:\n  gpubench peak\n  gpubench peak --device cpu,cuda -o peaks/");
  parser.on_parsed([options] { measure_peaks(*options); });
}

}  // namespace

CommandEntry entry_peak() { return {"peak", "Measure peak FLOP/s, bandwidth and latency", add_options}; }

}  // namespace peak_plugin

std::string peak_table(const std::vector<PeakPoint>& points) {
  TextTable table({{"device"}, {"measurement"}, {"peak", Align::kRight}, {"at"}});
  for (auto begin = points.begin(); begin != points.end();) {
    const auto is_other = [&](const PeakPoint& point) { return point.device != begin->device; };
    const auto end = std::find_if(begin, points.end(), is_other);
    for (const PeakPoint& point : headline({begin, end}))
      table.add_row({point.device, peak_plugin::subject(point), peak_plugin::value_text(point),
                     peak_plugin::note(point)});
    begin = end;
  }
  return table.to_string(output_width());
}

}  // namespace gpubench
