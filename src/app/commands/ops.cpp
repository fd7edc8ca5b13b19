#include <algorithm>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/inputs.h"
#include "app/run/engine_loader.h"
#include "app/run/table_run.h"
#include "compare/published.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/plan/op_plan.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/names.h"

namespace gpubench::ops_plugin {
namespace {

struct OpsOptions : TableOptions {
  /// Operations allocate their results, as users of LibTorch do: with the system's allocator.
  OpsOptions() { allocator = "system"; }

  OpPlanOptions plan;                ///< All but its effort.
  std::string protocol = "default";  ///< One of op_protocol_names().
  std::string against;               ///< "published:NAME" or a file; empty: no comparison.
};

/// In "s4" the second of two calls is timed.
std::vector<std::string> op_protocol_names() { return {"default", "s4"}; }

constexpr Seconds kSmallLimit{0.2};

/// Returns the plan with its effort, after checks that do not need the engine.
OpPlanOptions ops_plan(const OpsOptions& options) {
  const std::vector<std::string> protocols = op_protocol_names();
  require(std::ranges::find(protocols, options.protocol) != protocols.end(), "--protocol: {}",
          unknown_name_message("protocol", options.protocol, protocols));
  require(options.against.empty() || options.output != "-",
          "--against prints a comparison below the table; leave '-o -' out");
  OpPlanOptions plan = options.plan;
  plan.effort.is_second_call = options.protocol == "s4";
  require(!plan.effort.is_second_call || (options.sample.empty() && options.time.empty()),
          "--protocol s4 times the second of two calls; leave --sample and --time out");
  if (format_set(plan) == "small") plan.effort.limit = kSmallLimit;
  set_times(options, plan.effort);
  return plan;
}

/// All that is decided before the first row.
struct PlannedOps : PlannedTable {
  PlannedOps(const OpsOptions& options, const std::vector<std::string>& given_arguments)
      : PlannedTable(options, given_arguments) {
    const OpPlanOptions plan = ops_plan(options);
    settings = {.protocol = options.protocol,
                .kind = plan.is_matrix       ? "matrix"
                        : plan.sweep.empty() ? "table"
                                             : "sweep",
                .set = format_set(plan),
                .isolation = options.isolate,
                .seed = plan.seed,
                .sample = plan.effort.sample,
                .limit = plan.effort.limit};
    if (!options.against.empty()) baseline = load_ops({options.against});
    // Their sizes are checked before a device is asked for anything. The engine alone knows the operations.
    for (const OpWork& row : plan_ops(plan, {"any"}, engine().operations()))
      engine().check_operation(row.op, row.request.sizes);
    ask_engine(options.devices, plan.repeat > 1);
    const std::string& note = facts.environment.threads_note;
    if (!note.empty() && !options.is_quiet) log_info("warning: {}", note);
    work = plan_ops(plan, device_names(), engine().operations());
  }
};

/// Measures the rows, or those that the run to resume lacks, and prints them.
ExitCode run_ops(const OpsOptions& options, const std::vector<std::string>& arguments) {
  // Before LibTorch has threads, and before the trial of a peak.
  InterruptWatch interrupts(/*ends_at_second=*/options.isolate == "none", "row");
  const SteadyClock clock;
  const PlannedOps planned(options, arguments);
  auto executor = planned.is_isolated()
                      ? make_isolated_op_executor(planned.workers,
                                                  {options.threads, planned.timeout, std::nullopt, false})
                      : make_local_op_executor(planned.engine(), clock);
  return TableRun(planned, "ops-", interrupts, std::move(executor),
                  [&](const std::string& device) { return planned.renewed_peak(device); })
      .run();
}

std::vector<std::string> operation_names() { return names_in(load_engine().operations()); }

std::vector<std::string> published_tables() {
  return mapped(published_ops_names(), [](const std::string& name) { return "published:" + name; });
}

/// Which rows.
void add_plan_options(CommandParser& parser, OpPlanOptions& plan) {
  parser.list("--op", "NAME,...", "Operations (default: all; see 'gpubench list ops')", plan.ops)
      .offers(operation_names);
  parser.option("--shape", "SIZES", "Sizes of one --op: \"64x1024 axis=0\"; repeatable", plan.shapes);
  parser.option("--set", "NAME", "Set of sizes: " + either(op_set_names()) + " (published)", plan.set)
      .offers(op_set_names);
  parser.list("--dtype", "NAME,...", "Types: " + join(known_names<OpType>()) + " (fp32)", plan.types)
      .offers(known_names<OpType>);
  parser.list("--direction", "NAME,...", "Directions: " + join(known_names<OpDirection>()), plan.directions)
      .offers(known_names<OpDirection>);
  parser.list("--cache", "NAME,...", "Caches before a call: warm, cold (warm)", plan.caches)
      .offers(known_names<OpCache>);
  parser.flag("--matrix", "Print the status of each operation and type only", plan.is_matrix);
  parser.option("--sweep", "A:B:STEP", "Square matrix products: 256:16384:*2, 256:1024:+256", plan.sweep);
  parser.option("--seed", "N", "Seed of the inputs (default 0)", plan.seed);
  parser.option("--repeat", "N", "Repetitions in fresh processes (default 1)", plan.repeat);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<OpsOptions>();
  add_plan_options(parser, options->plan);
  parser.option("--protocol", "NAME", "default, or s4: time the second of two calls", options->protocol)
      .offers(op_protocol_names);
  add_process_choices(parser, *options, "repetition");
  parser.option("--against", "FILE", "Baseline: a file or published:m3-max/mps", options->against)
      .offers(published_tables);
  add_table_options(parser, *options, "0.5s, of the small set 0.2s");
  parser.footer(
      "Examples:\n  gpubench ops --op matmul,conv2d --dtype fp32,bf16\n"
      "  gpubench ops --op relu --shape 64x1000000 --shape 1000x1000\n"
      "  gpubench ops --matrix --device cuda\n  gpubench ops --sweep 256:4096:*2 -o sweep.json\n"
      "  gpubench ops --protocol s4 --against published:m3-max/mps\n"
      "Exit code 5: a row failed (with --matrix, unsupported is no failure)");
  const CommandLine& line = parser.line();
  parser.on_parsed([options, arguments = line.arguments, is_continued = line.is_continued] {
    const bool is_first = !options->resume.empty() && !is_continued;
    return is_first ? continue_table(options->resume, arguments) : run_ops(*options, arguments);
  });
}

}  // namespace

CommandEntry entry_ops() { return {"ops", "Time single operations and check their results", add_options}; }

}  // namespace gpubench::ops_plugin
