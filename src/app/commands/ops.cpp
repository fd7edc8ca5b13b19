#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/commands/entries.h"
#include "app/run/engine_loader.h"
#include "app/run/planned_run.h"
#include "app/tables/ops_progress.h"
#include "app/tables/ops_run.h"
#include "compare/published.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/names.h"

namespace gpubench {
namespace {

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
  parser.flag("--share", "Removes host name, command line, paths and other texts from the result",
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
