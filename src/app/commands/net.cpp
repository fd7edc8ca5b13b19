#include <algorithm>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/ranks.h"
#include "app/run/run.h"
#include "app/run/terminal.h"
#include "engine/plan/op_plan.h"
#include "gpubench/core/collect.h"

namespace gpubench::net_plugin {
namespace {

struct NetOptions : RunOptions {
  Grid<OpPoint> grid{collective_parameters()};
};

/// Returns the grid, with all possible ranks unless --world-size is given.
Grid<OpPoint> complete_grid(const NetOptions& options) {
  Grid<OpPoint> grid = options.grid;
  const std::vector<std::string> devices = grid.words("device");
  require(devices.size() == 1, "--device: has several devices; give one, on which all ranks run");
  if (!grid.is_given("world_size")) grid.set("world_size", std::to_string(most_ranks_for(devices)));
  return grid;
}

struct PlannedNet : PlannedRun {
  PlannedNet(const NetOptions& given, const std::vector<std::string>& given_arguments)
      : PlannedRun(given, given_arguments) {
    plan.kind = "net";
    const std::vector<OpWork> rows = plan_net(complete_grid(given));
    launch_ranks(*this, std::ranges::max(mapped(rows, [](const OpWork& row) { return row.asked.ranks; })));
    ask_engine({given.grid.words("device")});
    append(work, resolved(rows, [](OpWork& row) -> std::string& { return row.asked.device; }));
  }
};

/// Measures all rows, or the missing rows of a run to resume; on a rank other than 0, its part of them.
ExitCode run_net(const NetOptions& options, const Invocation& words) {
  if (is_peer_rank()) return run_peer_rank(options, words.arguments);
  if (options.resume && !words.is_continued) return continued_command(options, words.arguments)();
  InterruptWatch interrupts("row");
  PlannedNet plan(options, words.arguments);
  return RecordedRun(plan).run(interrupts);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<NetOptions>();
  add_parameters(parser, collective_parameters(), options->grid);
  add_run_options(parser, *options, "row");
  parser.footer(
      "Examples:\n  gpubench net --world-size 2 --sizes 4:67108864:*4\n"
      "  gpubench net --collective all_reduce -o net.json\n  torchrun --no-python --nproc-per-node 8 "
      "gpubench net\n"
      "Exit code 5: a row failed. Launchers such as torchrun: gpubench help multi-gpu");
  parser.on_parsed([options](const Invocation& words) { return run_net(*options, words); });
}

}  // namespace

CommandEntry entry_net() {
  return {"net", "Time collectives between ranks, such as all-reduce", add_options};
}

}  // namespace gpubench::net_plugin
