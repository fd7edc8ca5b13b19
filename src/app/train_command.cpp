#include "app/command_line.h"
#include "app/commands.h"
#include "app/trial_commands.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

bool says_what_to_measure(const TrainOptions& options) {
  return !options.suite.empty() || !(options.plan == PlanOptions{});
}

/// Where the data comes from. Of what the journal says the password is missing.
void complete(DataOptions& former, const TrainOptions& options) {
  if (!options.data.data_dir.empty()) former.data_dir = options.data.data_dir;
  if (!options.data.base_url.empty()) former.base_url = options.data.base_url;
  former.is_offline = former.is_offline || options.data.is_offline;
  if (former.is_offline || former.base_url.find(kHiddenPassword) == std::string::npos) return;
  throw Error(ErrorKind::kUsage, "--resume " + options.resume +
                                     ": the password of its --base-url was not stored; give --base-url once "
                                     "more, or --offline where the data is there");
}

/// Continues a run. Its own command line says what it was, unless the present one says what it must have
/// been.
ExitCode resume(const TrainOptions& options, const std::vector<std::string>& arguments) {
  std::string torn;  // Told when the journal is opened for writing.
  const JournalState state = read_journal(journal_path(options.resume), torn);
  if (says_what_to_measure(options)) {
    const PlannedRun run(options, arguments);
    return PlanExecution(run).resume();
  }
  TrainOptions former = parse_over({}, state.header.tool.arguments);
  former.resume = options.resume;
  former.is_quiet = options.is_quiet;
  if (!options.timeout.empty()) former.timeout = options.timeout;
  complete(former.data, options);
  const PlannedRun run(former, state.header.tool.arguments);
  return PlanExecution(run).resume();
}

}  // namespace

ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments) {
  if (!options.resume.empty()) return resume(options, arguments);
  const PlannedRun run(options, arguments);
  PlanExecution execution(run);
  if (options.is_dry_run) return run_dry(execution);
  if (options.finds_max_batch) return run_max_batch(execution);
  return execution.start();
}

}  // namespace gpubench
