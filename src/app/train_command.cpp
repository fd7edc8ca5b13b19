#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "app/commands.h"
#include "app/dataset_store.h"
#include "app/progress_line.h"
#include "app/result_file.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/engine/runner.h"
#include "gpubench/report_writer.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

std::vector<std::string> resolve_devices(const std::vector<std::string>& names) {
  std::vector<std::string> devices;
  for (const std::string& name : names) {
    std::string device = resolve_device(name);
    // "auto,cpu" may well name one device twice.
    if (std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(std::move(device));
  }
  return devices;
}

void check_threads(int threads) {
  if (threads >= 0 && threads <= 4096) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--threads {}: give 1 to 4096, or 0 for the cores available", threads));
}

ToolRecord describe_tool(const std::vector<std::string>& arguments, const std::string& started_at) {
  const std::string commit = GPUBENCH_GIT_COMMIT;
  ToolRecord tool;
  tool.version = GPUBENCH_VERSION;
  tool.git_commit = commit.empty() ? Reading<std::string>(absent("built outside a git checkout")) : commit;
  tool.arguments = arguments;
  tool.started_at = started_at;
  tool.finished_at = absent("the run has not finished");
  return tool;
}

Environment describe_environment(const std::vector<std::string>& devices, const DatasetStore& store) {
  Environment environment = read_environment();
  for (const std::string& name : devices) environment.devices.push_back(open_device(name)->record());
  environment.datasets = store.records();
  return environment;
}

void print(const std::string& format, const RunRecord& run) {
  const std::string text = report_formats().require(format, "--output").render(run);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

ExitCode verdict(const RunRecord& run) {
  const bool is_ok = std::all_of(run.cases.begin(), run.cases.end(),
                                 [](const CaseRecord& record) { return record.status == CaseStatus::kOk; });
  return is_ok ? ExitCode::kOk : ExitCode::kCaseFailed;
}

/// Runs the cases with a progress line where stderr is a terminal.
void run_cases(const std::vector<Case>& cases, const DatasetStore& store, bool is_quiet,
               const std::function<void(const RunRecord&)>& keep, RunRecord& run) {
  const SteadyClock clock;
  ProgressLine progress(clock, !is_quiet && isatty(STDERR_FILENO) != 0);
  const auto dataset_of = [&](const Case& c) -> const Dataset& { return store.dataset_of(c); };
  run_plan(cases, {clock, progress, dataset_of, keep}, run);
  run.tool.finished_at = utc_timestamp();
}

/// Saves after each case. A full disk then is a warning: the figures are still to be measured and printed,
/// and the save at the end of the run says for good whether there is a file.
std::function<void(const RunRecord&)> saver(const std::optional<ResultFile>& file) {
  return [&file](const RunRecord& so_far) {
    try {
      if (file) file->save(so_far);
    } catch (const Error& error) {
      fmt::print(stderr, "gpubench: {}; the run goes on\n", error.what());
    }
  };
}

}  // namespace

ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments) {
  const auto devices = resolve_devices(options.plan.devices);
  const auto cases = make_plan(options.plan, devices, models(), datasets());
  check_threads(options.threads);
  set_threads(options.threads);
  set_strict_fp32();

  RunRecord run;
  run.tool = describe_tool(arguments, utc_timestamp());
  const bool is_to_stdout = options.output == "-";
  std::optional<ResultFile> file;
  if (!is_to_stdout) file.emplace(options.output, result_name(run.tool.started_at, host_name(), devices));
  const DatasetStore store(cases, options.data, options.is_quiet);
  run.environment = describe_environment(devices, store);

  run_cases(cases, store, options.is_quiet, saver(file), run);
  print(is_to_stdout ? "json" : "table", run);
  if (file) file->save(run);
  if (file && !options.is_quiet) fmt::print(stderr, "gpubench: result in {}\n", file->path().string());
  return verdict(run);
}

}  // namespace gpubench
