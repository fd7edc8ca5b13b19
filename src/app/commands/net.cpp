#include <algorithm>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/run.h"
#include "app/run/terminal.h"
#include "engine/plan/op_plan.h"
#include "gpubench/core/collect.h"

namespace gpubench::net_plugin {
namespace {

struct NetOptions : RunOptions {
  Grid<OpPoint> grid{collective_parameters()};
};

struct PlannedNet : PlannedRun {
  explicit PlannedNet(const NetOptions& given) : PlannedRun(given) {
    plan.kind = "net";
    Grid<OpPoint> grid = given.grid;
    const std::vector<std::string> devices = grid.words("device");
    require(devices.size() == 1, "--device: has several devices; give one, on which all ranks run");
    if (!grid.is_given("world_size")) grid.set("world_size", std::to_string(most_ranks_for(devices)));
    const std::vector<OpWork> rows = plan_net(grid);
    launch_ranks(*this, std::ranges::max(mapped(rows, [](const OpWork& row) { return row.asked.ranks; })));
    ask_engine({devices});
    append(work, resolved(rows, [](OpWork& row) -> std::string& { return row.asked.device; }));
  }
};

/// Measures all rows, or the missing rows of a run to resume; on a rank other than 0, its part of them.
ExitCode run_net(const NetOptions& options) {
  if (const auto code = run_peer_rank(options)) return *code;
  if (options.resume && !options.is_continued) return continued_command(options)();
  const auto interrupts = watch_interrupts("row");
  PlannedNet plan(options);
  return run_recorded(plan, interrupts.get());
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
  parser.on_parsed([options] { return run_net(*options); });
}

}  // namespace

CommandEntry entry_net() {
  return {"net", "Time collectives between ranks, such as all-reduce", add_options};
}

}  // namespace gpubench::net_plugin
