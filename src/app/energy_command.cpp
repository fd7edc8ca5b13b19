#include <fmt/format.h>

#include "app/document_output.h"
#include "app/energy_import.h"
#include "app/result_commands.h"
#include "gpubench/core/duration.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/power/stamp.h"
#include "gpubench/record_json.h"
#include "gpubench/run_file.h"

namespace gpubench {
namespace {

/// A duration that may have a sign.
Seconds signed_duration(const std::string& text, const std::string& option) {
  const bool is_negative = text.starts_with("-");
  const bool is_signed = is_negative || text.starts_with("+");
  const Seconds duration = parse_duration(is_signed ? text.substr(1) : text, option);
  return is_negative ? Seconds{0} - duration : duration;
}

PowerLogOptions log_options(const EnergyImportOptions& options) {
  PowerLogOptions reading;
  reading.format = options.format;
  if (!options.time_zone.empty()) reading.utc_offset = parse_utc_offset(options.time_zone, "--time-zone");
  if (!options.clock_offset.empty()) {
    reading.clock_offset = signed_duration(options.clock_offset, "--clock-offset");
  }
  return reading;
}

EnergyMethod method_of(const std::string& name) {
  if (name == "window") return EnergyMethod::kTrapezoid;
  if (name == "spike-q30") return EnergyMethod::kSpikeQ30;
  throw Error(ErrorKind::kUsage,
              fmt::format("--energy-method '{}': is unknown; there are window and spike-q30", name));
}

/// Before anything is read.
void check_scope(const std::string& name) {
  if (name.empty()) return;
  try {
    power_scope_named(name);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, fmt::format("--scope: {}", error.what()));
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

}  // namespace

ExitCode run_energy_import(const EnergyImportOptions& options) {
  const PowerLogOptions reading = log_options(options);
  const EnergyMethod method = method_of(options.method);
  check_scope(options.scope);
  RunRecord run = read_run_file(options.result);
  PowerLog log = read_power_log(options.log, reading);
  choose_traces(log, options.part, options.scope, options.device);
  name_sole_device(log, run);
  tell(import_energy(run, log, {options.result, options.log}, method), log, options.log);
  write_document(options.output, options.result, run_document(run));
  return ExitCode::kOk;
}

}  // namespace gpubench
