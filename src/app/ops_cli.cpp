#include "app/ops_cli.h"

#include "app/engine_loader.h"
#include "compare/published.h"

namespace gpubench {
namespace {

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
                      const std::string& help) {
  return command.add_option(name, list, help)->delimiter(',')->allow_extra_args(false)->type_name("NAME,...");
}

/// Which rows.
void add_plan_options(CLI::App& command, OpPlanOptions& plan) {
  add_list(command, "--op", plan.ops, "Operations, a list (default: all; see 'gpubench list ops')");
  command.add_option("--shape", plan.shapes, "Sizes for one --op, repeatable: \"64x1024x128 axis=0\"")
      ->allow_extra_args(false)
      ->type_name("SIZES");
  command.add_option("--set", plan.set, "Sizes: published, small or all (published)")->type_name("NAME");
  add_list(command, "--dtype", plan.types, "fp32, fp16, bf16, fp64, int32, int64; a list (fp32)");
  add_list(command, "--direction", plan.directions, "forward, forward+backward; a list (forward)");
  add_list(command, "--cache", plan.caches, "warm, or cold: caches are emptied before a call; a list (warm)");
  command.add_flag("--matrix", plan.is_matrix, "A word for each operation and type, at one small size");
  command.add_option("--sweep", plan.sweep, "Square matrix products: 256:16384:*2 or 256:1024:+256")
      ->type_name("A:B:STEP");
  command.add_option("--seed", plan.seed, "Seed of the inputs (default 0)")->type_name("N");
}

/// How they are run.
void add_run_options(CLI::App& command, OpsOptions& options) {
  add_list(command, "--device", options.devices, "auto, cpu, cuda, cuda:1, mps; a list (default auto)");
  command.add_option("--protocol", options.protocol, "default, or s4: the second of two calls, as published")
      ->type_name("NAME");
  command.add_option("--sample", options.sample, "Least time of a sample (5ms)")->type_name("TIME");
  command.add_option("--time", options.time, "Time of a row (0.5s, of the small set 0.2s)")
      ->type_name("TIME");
  command.add_option("--threads", options.threads, "CPU threads (default: at most the cores available)")
      ->type_name("N");
  command.add_option("--allocator", options.allocator, "system: glibc's as it comes, or tuned (system)")
      ->type_name("NAME");
  command.add_option("--against", options.against, "Compare with a file, or published:m3-max/mps")
      ->type_name("FILE");
  command.add_option("-o,--output", options.output, "Document, folder, or - for stdout")->type_name("PATH");
  command.add_flag("-q,--quiet", options.is_quiet, "Neither progress nor notes on stderr");
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const OpInfo& op : load_engine().operations()) names.push_back(op.name);
  return names;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const OpType type : all_op_types()) names.push_back(to_string(type));
  return names;
}

std::vector<std::string> published_tables() {
  std::vector<std::string> names;
  for (const std::string& name : published_ops_names()) names.push_back("published:" + name);
  return names;
}

}  // namespace

void add_ops_command(CLI::App& app, OpsOptions& options) {
  CLI::App* command =
      app.add_subcommand("ops", "Times operations by themselves, and checks what they compute");
  add_plan_options(*command, options.plan);
  add_run_options(*command, options);
  command->footer(
      "Examples:\n  gpubench ops --op matmul,conv2d --dtype fp32,bf16\n"
      "  gpubench ops --op relu --shape 64x1000000 --shape 1000x1000\n"
      "  gpubench ops --matrix --device cuda\n  gpubench ops --sweep 256:4096:*2 -o sweep.json\n"
      "  gpubench ops --protocol s4 --against published:m3-max/mps\n"
      "Exit code 5: a row is not ok; in a matrix, unsupported is an answer and no failure.");
}

std::vector<std::string> ops_values_of(const std::string& option) {
  if (option == "--op") return operation_names();
  if (option == "--dtype") return type_names();
  if (option == "--direction") {
    return {to_string(OpDirection::kForward), to_string(OpDirection::kForwardBackward)};
  }
  if (option == "--cache") return {to_string(OpCache::kWarm), to_string(OpCache::kCold)};
  if (option == "--set") return {"published", "small", "all"};
  if (option == "--protocol") return {"default", "s4"};
  if (option == "--against") return published_tables();
  return {};
}

}  // namespace gpubench
