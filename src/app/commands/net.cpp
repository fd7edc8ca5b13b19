#include <algorithm>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/launched_group.h"
#include "app/run/table_run.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/plan/op_plan.h"
#include "engine/ranks/process_group.h"

namespace gpubench::net_plugin {
namespace {

struct NetOptions : TableOptions {
  NetPlanOptions plan;  ///< All but its effort; no ranks: all that there are.
};

NetPlanOptions to_plan(const NetOptions& options) {
  NetPlanOptions plan = options.plan;
  set_times(options, plan.effort);
  if (plan.ranks.empty()) plan.ranks = {most_ranks_for(options.devices)};
  require(options.devices.size() == 1, "--device: several; give one, whose ranks measure together");
  return plan;
}

/// All that is decided before the first row.
struct PlannedNet : PlannedTable {
  PlannedNet(const NetOptions& given, const std::vector<std::string>& given_arguments)
      : PlannedTable(given, given_arguments) {
    const NetPlanOptions plan = to_plan(given);
    plan_net(plan, "any");  // Throws for a wrong plan before others are waited for.
    launched = launch_group(std::ranges::max(plan.ranks), given);
    ProcessGroup& group = *launched.group;
    use_threads(group.threads_per_rank());
    ask_engine(given.devices, false);
    work = plan_net(plan, facts.devices.front());
    settings.kind = "net";
    settings.sample = plan.effort.sample;
    settings.limit = plan.effort.limit;
    const Environment own = rank_environment(facts, {}, threads(), group.launch());
    ranks = group.prepare({device_names(), threads(), given.allocator, "", false, {}}, own);
  }

  LaunchedGroup launched;
};

/// Measures the rows, or those that the run to resume lacks, and prints them; on a rank other than 0, its
/// part of that.
ExitCode run_net(NetOptions options, const std::vector<std::string>& arguments) {
  options.typed = arguments;
  if (is_peer_rank()) {
    TrainOptions peer;
    static_cast<RunOptions&>(peer) = options;
    return run_peer_rank(peer, arguments);
  }
  InterruptWatch interrupts(/*ends_at_second=*/false, "row");
  const PlannedNet planned(options, arguments);
  auto own =
      make_isolated_op_executor(planned.workers, {planned.threads(), planned.timeout, std::nullopt, false});
  return TableRun(planned, "net-", interrupts,
                  make_group_op_executor(std::move(own), *planned.launched.group, planned.timeout))
      .run();
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<NetOptions>();
  parser.list("--world-size", "N,...", "Numbers of processes (default: all GPUs or cores)",
              options->plan.ranks);
  parser
      .list("--collective", "NAME,...", "Collectives: all_reduce, all_gather, ... (all)",
            options->plan.collectives)
      .offers(collective_names);
  parser.option("--sizes", "A:B:STEP", "Message sizes in bytes (default 4:1073741824:*4)",
                options->plan.sizes);
  parser.option("--repeat", "N", "Repetitions in fresh processes (default 1)", options->plan.repeat);
  add_table_options(parser, *options, "0.5s");
  add_rendezvous_timeout(parser, *options);
  parser.footer(
      "Examples:\n  gpubench net --world-size 2 --sizes 4:67108864:*4\n"
      "  gpubench net --collective all_reduce -o net.json\n  torchrun --no-python --nproc-per-node 8 "
      "gpubench net\n"
      "Exit code 5: a row failed. Launchers: gpubench help ranks");
  const CommandLine& line = parser.line();
  parser.on_parsed([options, arguments = line.arguments, is_continued = line.is_continued] {
    const bool is_first = !options->resume.empty() && !is_continued;
    return is_first ? continue_table(options->resume, arguments) : run_net(*options, arguments);
  });
}

}  // namespace

CommandEntry entry_net() {
  return {"net", "Time collectives between ranks and check their results", add_options};
}

}  // namespace gpubench::net_plugin
