#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/command.h"
#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/files/inputs.h"
#include "app/run/engine_loader.h"
#include "app/run/planned_run.h"
#include "app/tables/table_run.h"
#include "app/train_options.h"
#include "compare/published.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/machine/facts.h"
#include "engine/plan/op_plan.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/names.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/ops_page.h"

namespace gpubench {
namespace {

/// What a table of operations is asked for.
struct OpsOptions : RunOptions {
  /// Operations allocate their results, and what users of LibTorch do so with is the system's.
  OpsOptions() { allocator = "system"; }

  OpPlanOptions plan;                ///< All but its effort, which the next three make.
  std::string protocol = "default";  ///< One of op_protocol_names().
  std::string sample;                ///< Least time of a sample, as parse_duration reads it; empty: 5 ms.
  std::string time;                  ///< Of a row; empty: 0.5 s, of the small set 0.2 s.
  std::vector<std::string> devices{"auto"};
  std::string against;  ///< "published:NAME" or a file; empty: no comparison.
};

/// "default", and "s4": the second of two calls.
std::vector<std::string> op_protocol_names() { return {"default", "s4"}; }

constexpr Seconds kSmallLimit{0.2};

OpEffort make_effort(const OpsOptions& options) {
  OpEffort effort;
  effort.is_second_call = options.protocol == "s4";
  require(!effort.is_second_call || (options.sample.empty() && options.time.empty()),
          "--protocol s4 times the second of two calls; leave --sample and --time out");
  effort.sample = duration_or(options.sample, effort.sample, "--sample");
  effort.limit =
      duration_or(options.time, format_set(options.plan) == "small" ? kSmallLimit : effort.limit, "--time");
  return effort;
}

/// The plan with its effort, checked for what can be told wrong without the engine, but for what plan_ops
/// checks.
OpPlanOptions ops_plan(const OpsOptions& options) {
  const std::vector<std::string> protocols = op_protocol_names();
  require(std::ranges::find(protocols, options.protocol) != protocols.end(), "--protocol: {}",
          unknown_name_message("protocol", options.protocol, protocols));
  require(options.against.empty() || options.output != "-",
          "--against prints a comparison below the table; leave '-o -' out");
  OpPlanOptions plan = options.plan;
  plan.effort = make_effort(options);
  return plan;
}

/// What a document says of it.
OpsSettings ops_settings(const OpsOptions& options, const OpPlanOptions& plan) {
  OpsSettings settings;
  settings.protocol = options.protocol;
  if (plan.is_matrix) settings.kind = "matrix";
  if (!plan.sweep.empty()) settings.kind = "sweep";
  settings.set = format_set(plan);
  settings.isolation = options.isolate;
  settings.seed = plan.seed;
  settings.sample = plan.effort.sample;
  settings.limit = plan.effort.limit;
  return settings;
}

/// None for an empty name. What to compare with is read before anything is measured.
std::vector<NamedOps> load_baseline(const std::string& name) {
  return name.empty() ? std::vector<NamedOps>() : load_ops({name});
}

/// All that is decided before the first row.
struct PlannedOps : PlannedTable {
  PlannedOps(const OpsOptions& given, const std::vector<std::string>& given_arguments)
      : PlannedTable(given, given_arguments),
        options(given),
        plan(ops_plan(given)),
        baseline(load_baseline(given.against)) {
    // Their sizes are checked before a device is asked for anything. The engine alone knows the operations.
    for (const OpWork& row : plan_ops(plan, {"any"}, engine().operations())) {
      engine().check_operation(row.op, row.request.sizes);
    }
    ask_engine(options.devices, plan.repeat > 1);
    const std::string& note = facts.environment.threads_note;
    if (!note.empty() && !given.is_quiet) log_info("warning: {}", note);
    work = plan_ops(plan, device_names(), engine().operations());
  }

  const OpsOptions& options;
  OpPlanOptions plan;
  std::vector<NamedOps> baseline;
};

std::unique_ptr<OpExecutor> make_executor(const PlannedOps& run, const Clock& clock) {
  if (!run.is_isolated()) return make_local_op_executor(run.engine(), clock);
  return make_isolated_op_executor(run.workers, {run.options.threads, run.timeout, std::nullopt, false});
}

/// A table under way.
class OpsRun : public TableRun {
 public:
  OpsRun(const PlannedOps& run, InterruptWatch& interrupts)
      : TableRun(run, "ops-", interrupts, renewing_peaks(run)), run_(run) {
    executor_ = make_executor(run, clock_);
  }

 protected:
  OpsSettings settings() const override { return ops_settings(run_.options, run_.plan); }

  /// Its page, but for the machine; of a matrix the words alone.
  std::string shown(const OpsRecord& record) const override {
    Page page = ops_page(record, output().file->path().filename().string());
    page.sections = op_sections(record);
    if (run_.plan.is_matrix) page.sections.resize(1);
    return report_formats().require("txt", "--format").render(page);
  }

  /// What a device does not support is what a matrix is asked for.
  bool is_fine(const OpRecord& row) const override {
    return JournaledRun::is_fine(row) || (run_.plan.is_matrix && row.status == RowStatus::kUnsupported);
  }

  void on_finished(const OpsRecord& record) override {
    if (run_.baseline.empty()) return;
    std::vector<NamedOps> tables = run_.baseline;
    tables.push_back({output().file->path().filename().string(), record});
    print("\n" + report_formats().require("txt", "--format").render(ops_comparison_page(tables)));
  }

 private:
  const PlannedOps& run_;
};

/// Measures the rows, or those that the run to resume lacks, and prints them. `arguments` go into the
/// document. Throws a usage Error for what can be told wrong before.
ExitCode run_ops(const OpsOptions& options, const std::vector<std::string>& arguments) {
  // Before LibTorch has threads, and before the trial of a peak.
  InterruptWatch interrupts(/*ends_at_second=*/options.isolate == "none", "row");
  const PlannedOps planned(options, arguments);
  OpsRun run(planned, interrupts);
  return options.resume.empty() ? run.start() : run.resume(options.resume);
}

std::vector<std::string> operation_names() { return names_in(load_engine().operations()); }

std::vector<std::string> published_tables() {
  return mapped(published_ops_names(), [](const std::string& name) { return "published:" + name; });
}

/// Which rows.
void add_plan_options(CommandParser& parser, OpPlanOptions& plan) {
  parser.list("--op", "NAME,...", "Operations, a list (default: all; see 'gpubench list ops')", plan.ops)
      .offers(operation_names);
  parser.option("--shape", "SIZES", "Sizes for one --op, repeatable: \"64x1024x128 axis=0\"", plan.shapes);
  parser.option("--set", "NAME", "Sizes: " + either(op_set_names()) + " (published)", plan.set)
      .offers(op_set_names);
  parser.list("--dtype", "NAME,...", join(known_names<OpType>()) + "; a list (fp32)", plan.types)
      .offers(known_names<OpType>);
  parser
      .list("--direction", "NAME,...", join(known_names<OpDirection>()) + "; a list (forward)",
            plan.directions)
      .offers(known_names<OpDirection>);
  parser
      .list("--cache", "NAME,...", "warm, or cold: caches are emptied before a call; a list (warm)",
            plan.caches)
      .offers(known_names<OpCache>);
  parser.flag("--matrix", "A word for each operation and type, at one small size", plan.is_matrix);
  parser.option("--sweep", "A:B:STEP", "Square matrix products: 256:16384:*2 or 256:1024:+256", plan.sweep);
  parser.option("--seed", "N", "Seed of the inputs (default 0)", plan.seed);
  parser.option("--repeat", "N", "Repetitions, each in a fresh process (default 1)", plan.repeat);
}

/// How they are run.
void add_run_options(CommandParser& parser, OpsOptions& options) {
  add_devices(parser, options.devices);
  parser
      .option("--protocol", "NAME", "default, or s4: the second of two calls, as published", options.protocol)
      .offers(op_protocol_names);
  parser.option("--sample", "TIME", "Least time of a sample (5ms)", options.sample);
  parser.option("--time", "TIME", "Time of a row (0.5s, of the small set 0.2s)", options.time);
  add_threads(parser, options.threads);
  parser.option("--allocator", "NAME", "system: glibc's as it comes, or tuned (system)", options.allocator)
      .offers(allocator_names);
  parser.option("--isolate", "HOW", "process: apart from this one; or none (process)", options.isolate)
      .offers(isolation_names);
  parser.option("--timeout", "TIME", "Time for one row", options.timeout);
  parser.option("--resume", "FILE", "Continue this result or journal", options.resume);
  parser.option("--against", "FILE", "Compare with a file, or published:m3-max/mps", options.against)
      .offers(published_tables);
  add_output(parser, "Document, folder, or - for stdout", options.output, options.overwrites);
  parser.flag("--anonymize", "Removes host name, command line, paths and other texts from the result",
              options.is_shared);
  add_quiet(parser, options.is_quiet);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<OpsOptions>();
  add_plan_options(parser, options->plan);
  add_run_options(parser, *options);
  parser.footer(
      "Examples:\n  gpubench ops --op matmul,conv2d --dtype fp32,bf16\n"
      "  gpubench ops --op relu --shape 64x1000000 --shape 1000x1000\n"
      "  gpubench ops --matrix --device cuda\n  gpubench ops --sweep 256:4096:*2 -o sweep.json\n"
      "  gpubench ops --protocol s4 --against published:m3-max/mps\n"
      "Exit code 5: a row is not ok; in a matrix, unsupported is an answer and no failure.");
  const CommandLine& line = parser.line();
  parser.on_parsed([options, arguments = line.arguments, is_continued = line.is_continued] {
    const bool is_first = !options->resume.empty() && !is_continued;
    return is_first ? continue_table(options->resume, arguments) : run_ops(*options, arguments);
  });
}

}  // namespace

CommandEntry entry_ops() {
  return {"ops", "Times operations by themselves, and checks what they compute", CommandKind::kListed,
          add_options};
}

}  // namespace gpubench
