#include <algorithm>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/engine_loader.h"
#include "app/run/launched_group.h"
#include "app/run/table_run.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/plan/op_plan.h"
#include "engine/ranks/process_group.h"

namespace gpubench::net_plugin {
namespace {

struct NetOptions : RunOptions {
  Grid<OpPoint> grid{collective_parameters()};
};

/// Returns the grid with all ranks that there are, unless some are given.
Grid<OpPoint> complete_grid(const NetOptions& options) {
  Grid<OpPoint> grid = options.grid;
  const std::vector<std::string> devices = grid.words("device");
  require(devices.size() == 1, "--device: several; give one, whose ranks measure together");
  if (!grid.is_given("world_size")) grid.set("world_size", std::to_string(most_ranks_for(devices)));
  return grid;
}

struct PlannedNet : PlannedTable {
  PlannedNet(const NetOptions& given, const std::vector<std::string>& given_arguments)
      : PlannedTable(given, given_arguments) {
    work = plan_net(complete_grid(given));
    const auto get_ranks = [](const OpWork& row) { return row.asked.ranks; };
    launched = launch_group(std::ranges::max(mapped(work, get_ranks)), given);
    ProcessGroup& group = *launched.group;
    use_threads(group.threads_per_rank());
    const std::vector<std::string> words = given.grid.words("device");
    ask_engine({words}, false);
    resolve_devices(words);
    plan.kind = "net";
    const Environment own = rank_environment(facts, {}, threads(), group.launch());
    ranks = group.prepare({device_names(), threads(), allocator_setting(), "", false, {}}, own);
  }

  LaunchedGroup launched;
};

/// Measures and prints all rows, or those that a run to resume lacks; on a rank other than 0, its part.
ExitCode run_net(NetOptions options, const std::vector<std::string>& arguments) {
  options.typed = arguments;
  if (is_peer_rank()) {
    TrainOptions peer;
    static_cast<RunOptions&>(peer) = options;
    return run_peer_rank(peer, arguments);
  }
  InterruptWatch interrupts(/*ends_at_second=*/false, "row");
  const PlannedNet planned(options, arguments);
  auto ranks = make_rank_observer(*planned.launched.group, {}, planned.timeout);
  return TableRun(planned, "net-", interrupts, std::move(ranks)).run();
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<NetOptions>();
  add_parameters(parser, collective_parameters(), options->grid);
  add_run_options(parser, *options, "row");
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
