#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/train.h"
#include "app/files/result_file.h"
#include "device/host/host.h"
#include "engine/machine/stores.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/stats/estimate.h"
#include "gpubench/record/derived.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// The file that the run will write, chosen here because it is read again.
std::string result_of(const TrainOptions& options) {
  if (options.output == "-" || is_stream(options.output)) {
    throw Error(ErrorKind::kUsage, "--output {}: a calibration reads its file; name one", options.output);
  }
  return ResultFile(options.output,
                    "calibration-" + result_name(utc_timestamp(), host_name(), options.plan.devices),
                    options.overwrites)
      .path()
      .string();
}

/// Cases of one device differ in their noise: the one that scatters most counts.
const RepeatGroup* noisiest(const std::vector<RepeatGroup>& groups, const std::string& device) {
  const RepeatGroup* worst = nullptr;
  double most = -1;
  for (const RepeatGroup& group : groups) {
    if (group.identity.at("device") != device) continue;
    const Reading<NoiseFloor> floor = noise_floor(group.medians, 1);
    if (!floor.has_value() || floor.value().scatter <= most) continue;
    worst = &group;
    most = floor.value().scatter;
  }
  return worst;
}

std::string percent_text(const std::vector<double>& seconds, std::int64_t repetitions) {
  return fmt::format("{:.1f} %", 100 * noise_floor(seconds, repetitions).value().relative);
}

void keep(const RepeatGroup& group, const DeviceRecord& device, const RunRecord& run) {
  const std::string at =
      run.tool.finished_at.has_value() ? run.tool.finished_at.value() : run.tool.started_at;
  calibration_store().keep({group.medians, at, run.tool.version}, device, run.environment);
  print_out(
      "{}: of equal programs 19 in 20 differ by less than {} with one process a side, {} with five\n"
      "(from {} processes of {} {}; kept for the ± of later runs)\n",
      device.name, percent_text(group.medians, 1), percent_text(group.medians, 5), group.medians.size(),
      group.identity.subject(), group.identity.number("batch"));
}

ExitCode calibrate(const TrainOptions& given, const std::vector<std::string>& arguments) {
  if (given.plan.repeat < static_cast<std::int64_t>(kLeastProcessesForFloor)) {
    throw Error(ErrorKind::kUsage, "--repeat {}: a calibration needs at least {} processes",
                given.plan.repeat, kLeastProcessesForFloor);
  }
  TrainOptions options = given;
  options.output = result_of(given);
  const ExitCode code = run_train(options, arguments);
  if (code != ExitCode::kOk) return code;
  const RunRecord run = read_run_file(options.output);
  const std::vector<RepeatGroup> groups = repeat_groups(run);
  for (const DeviceRecord& device : run.environment.devices) {
    if (const RepeatGroup* group = noisiest(groups, device.name)) keep(*group, device, run);
  }
  return code;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<TrainOptions>();
  options->plan.models = {"mlp"};
  options->plan.repeat = 10;
  add_training_options(parser, *options);
  parser.describe("--output", "Result file or folder");
  parser.footer(
      "Runs one case (mlp, batch 128) in ten fresh processes; --model, --batch and --repeat choose "
      "otherwise.\n"
      "Examples:\n  gpubench calibrate\n  gpubench calibrate --device cuda --model cnn --batch 1024");
  parser.on_parsed([options, arguments = parser.line().arguments] { return calibrate(*options, arguments); });
}

}  // namespace

CommandEntry entry_calibrate() {
  return {"calibrate", "Measure how far apart equal runs are on this machine", CommandKind::kListed,
          add_options};
}

}  // namespace gpubench
