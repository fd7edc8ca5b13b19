#include <cstdlib>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/engine_loader.h"
#include "app/run/run.h"
#include "app/run/terminal.h"
#include "engine/plan/op_plan.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

namespace gpubench::ops_plugin {
namespace {

struct OpsOptions : RunOptions {
  OpPlanOptions plan;
};

struct PlannedOps : PlannedRun {
  explicit PlannedOps(const OpsOptions& given) : PlannedRun(given) {
    const Grid<OpPoint>& grid = given.plan.grid;
    const bool has_times = grid.is_given("sample_seconds") || grid.is_given("limit_seconds");
    require(!has_times || grid.words("protocol").front() != "s4",
            "--protocol s4: times the second of two calls only; leave --sample and --time out");
    const std::vector<OpWork> rows = plan_ops(given.plan);
    std::vector<std::string> devices;
    for (const OpWork& row : rows) {
      add_once(devices, row.asked.device);
      is_repeated = is_repeated || row.asked.repeat > 1;
    }
    plan.kind = given.plan.is_matrix ? "matrix" : given.plan.sweep.empty() ? "table" : "sweep";
    plan.suite = format_set(given.plan);
    plan.order_seed = rows.front().asked.seed;
    ask_engine({.devices = devices, .op = rows.front().asked.op, .shapes = grid.words("sizes")});
    const std::string& note = facts.environment.threads_note;
    if (!note.empty() && !given.is_quiet) log_info("warning: {}", note);
    append(work, resolved(rows, [](OpWork& row) -> std::string& { return row.asked.device; }));
  }
};

ExitCode run_ops(const OpsOptions& options) {
  if (options.resume && !options.is_continued) return continued_command(options)();
  // Operations allocate results with the system's allocator, as in other programs. Workers inherit the
  // setting.
  setenv("GPUBENCH_ALLOCATOR", allocator_setting("system").c_str(), /*overwrite=*/1);
  // Created before LibTorch starts threads, and before a peak is measured.
  const auto interrupts = watch_interrupts("row");
  PlannedOps plan(options);
  return run_recorded(plan, interrupts.get());
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<OpsOptions>();
  OpPlanOptions& plan = options->plan;
  add_parameters(parser, op_parameters(), plan.grid);
  parser.option("--set", "NAME", "Sizes: " + join(op_set_names()) + " (default published)", plan.set)
      .offers(op_set_names);
  parser.flag("--matrix", "Only test which operations work with which type", plan.is_matrix);
  parser.option("--sweep", "A:B:STEP", "Multiply square matrices: 256:16384:*2, 256:1024:+256", plan.sweep);
  add_run_options(parser, *options, "row");
  parser.footer(
      "Examples:\n  gpubench ops --op matmul,conv2d --dtype fp32,bf16\n"
      "  gpubench ops --op relu --shape 64x1000000,1000x1000\n"
      "  gpubench ops --matrix --device cuda\n  gpubench ops --sweep 256:4096:*2 -o sweep.json\n"
      "  gpubench ops --protocol s4 -o ops.json\n"
      "  gpubench compare ops.json --baseline published:m3-max/mps\n"
      "Exit code 5: a row failed (unsupported rows of --matrix do not count)");
  parser.on_parsed([options] { return run_ops(*options); });
}

}  // namespace

CommandEntry entry_ops() { return {"ops", "Time single operations and check their results", add_options}; }

}  // namespace gpubench::ops_plugin
