#include "app/training_options.h"

#include "gpubench/core/duration.h"

namespace gpubench {
namespace {

/// "layers=4".
std::pair<std::string, std::int64_t> parse_size_choice(const std::string& word) {
  const std::size_t equals = word.find('=');
  std::int64_t value = 0;
  if (equals != std::string::npos && CLI::detail::lexical_cast(word.substr(equals + 1), value)) {
    return {word.substr(0, equals), value};
  }
  throw Error(ErrorKind::kUsage, "--sizes " + word + ": give a name and a whole number, as layers=4");
}

template <class T>
CLI::Option* add_list_option(CLI::App& command, const std::string& name, std::vector<T>& list,
                             const std::string& help) {
  return command.add_option(name, list, help)->delimiter(',')->allow_extra_args(false);
}

/// A list of modes by name.
template <class Enum>
void add_modes(CLI::App& command, const std::string& name, std::vector<Enum>& list,
               Enum (*value_named)(const std::string&), const std::string& help) {
  const auto set = [&list, value_named](const std::vector<std::string>& names) {
    list.clear();
    for (const std::string& text : names) list.push_back(value_named(text));
  };
  command.add_option_function<std::vector<std::string>>(name, set, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
}

/// How it is trained: each a list, which makes the grid larger.
void add_mode_options(CLI::App& command, PlanOptions& plan) {
  add_modes(command, "--execution", plan.executions, execution_named, "auto, eager or graph (auto)");
  add_modes(command, "--precision", plan.precisions, precision_named,
            "fp32, tf32, bf16, fp16, amp-bf16, amp-fp16");
  add_modes(command, "--layout", plan.layouts, layout_named, "auto, nchw or channels-last (auto)");
  add_modes(command, "--loader", plan.loaders, loader_named, "resident, or host: prefetched batches");
}

void add_sizes(CLI::App& command, ModelSizes& sizes) {
  const auto set = [&sizes](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const auto [name, value] = parse_size_choice(word);
      sizes[name] = value;
    }
  };
  command
      .add_option_function<std::vector<std::string>>("--sizes", set, "Of the network: embedding=500,layers=4")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME=N,...");
}

/// What is measured.
void add_plan_options(CLI::App& command, PlanOptions& plan) {
  add_list_option(command, "--model", plan.models, "Models, a list (default cnn)")->type_name("NAME,...");
  add_sizes(command, plan.sizes);
  add_list_option(command, "--device", plan.devices, "auto, cpu, cuda, cuda:1, mps; a list (default auto)")
      ->type_name("NAME,...");
  add_list_option(command, "--batch", plan.batch_sizes, "Batch sizes, a list (default 128)")
      ->type_name("N,...");
  command.add_option("--dataset", plan.dataset, "auto, synthetic or a dataset's name (default auto)")
      ->type_name("NAME");
  const auto set_protocol = [&plan](const std::string& name) { plan.protocol = protocol_named(name); };
  command
      .add_option_function<std::string>("--protocol", set_protocol, "epoch, or fit: with validation (epoch)")
      ->type_name("NAME");
  command.add_option("--limit", plan.limit, "Samples used of each split (default 0: all)")->type_name("N");
  command.add_option("--seed", plan.seed, "Seed of weights and shuffling (default 0)")->type_name("N");
  command.add_option("--learning-rate", plan.learning_rate, "Instead of the model's own")->type_name("X");
}

/// How long.
void add_length_options(CLI::App& command, TrainOptions& options) {
  PlanOptions& plan = options.plan;
  command.add_option("--epochs", plan.epochs, "Epochs, warm-up included (default 5)")->type_name("N");
  command.add_option("--warmup", plan.warmup_epochs, "First epochs that no statistic uses (default 1)")
      ->type_name("N");
  command.add_option("--min-epochs", plan.min_epochs, "Instead: at least so many (default 5)")
      ->type_name("N");
  command.add_option("--max-epochs", plan.max_epochs, "and at most so many (default 200),")->type_name("N");
  command.add_option("--target-cv", plan.target_cv, "until the median is known this well (0.02)")
      ->type_name("X");
  const auto set_soak = [&plan](const std::string& time) { plan.min_timed = parse_duration(time, "--soak"); };
  command
      .add_option_function<std::string>("--soak", set_soak, "Train each case for so long, to see it throttle")
      ->type_name("TIME");
  command.add_option("--repeat", plan.repeat, "Repetitions in fresh processes (default 1)")->type_name("N");
  command.add_option("--order-seed", options.order_seed, "Seed of their order (default 0)")->type_name("N");
  command.add_option("--budget", options.budget, "Time for all: 20m, 1h30m")->type_name("TIME");
  command.add_option("--timeout", options.timeout, "Time for one case")->type_name("TIME");
}

/// What it takes.
void add_energy_options(CLI::App& command, EnergyOptions& options) {
  command.add_option("--meter", options.meter, "Power: auto, none, nvml, rapl, replay:LOG; a list (auto)")
      ->type_name("NAME,...");
  command.add_option("--energy-window", options.window, "Train so long at least for a meter: 10s, or auto")
      ->type_name("TIME");
  command.add_option("--idle", options.idle, "Idle power, before and after a case, for (default 2s)")
      ->type_name("TIME");
  command.add_option("--power-log", options.raw_log, "Every reading of power goes to this file")
      ->type_name("FILE");
}

/// How.
void add_run_options(CLI::App& command, TrainOptions& options) {
  command.add_option("--threads", options.threads, "CPU threads (default: at most the cores available)")
      ->type_name("N");
  command.add_option("--allocator", options.allocator, "tuned, or system: glibc's as it comes (tuned)")
      ->type_name("NAME");
  command.add_flag("--profile", options.plan.is_profiled, "Afterwards: where the time of a step goes");
  command.add_option("--trace", options.plan.trace, "and a Chrome trace of each case in this folder")
      ->type_name("DIR");
  command.add_option("--isolate", options.isolate, "process for each case, or none")->type_name("HOW");
  command.add_option("--memory-limit", options.memory_limit, "Host memory of a case: 8G")->type_name("SIZE");
  command.add_flag("--find-max-batch", options.finds_max_batch, "The largest batch that fits");
  command.add_flag("--dry-run", options.is_dry_run, "Cases, estimated time and memory; no training");
  command.add_option("--resume", options.resume, "Continue this result or journal")->type_name("FILE");
  command.add_option("-o,--output", options.output, "Result file, folder, or - for stdout")
      ->type_name("PATH");
  command.add_flag("--share", options.is_shared, "Names neither host nor user nor their folders in it");
  command.add_flag("-q,--quiet", options.is_quiet, "Neither progress nor notes on stderr");
}

}  // namespace

void add_training_options(CLI::App& command, TrainOptions& options) {
  add_plan_options(command, options.plan);
  add_mode_options(command, options.plan);
  add_length_options(command, options);
  add_energy_options(command, options.energy);
  add_run_options(command, options);
  add_data_dir(command, options.data);
  add_base_url(command, options.data);
  command.add_flag("--offline", options.data.is_offline, "Never download");
}

void add_data_dir(CLI::App& command, DataOptions& options) {
  command.add_option("--data-dir", options.data_dir, "Folder of the datasets (or GPUBENCH_DATA_DIR)")
      ->type_name("DIR");
}

void add_base_url(CLI::App& command, DataOptions& options) {
  command.add_option("--base-url", options.base_url, "Download from here (or GPUBENCH_BASE_URL)")
      ->type_name("URL")
      ->envname("GPUBENCH_BASE_URL");
}

}  // namespace gpubench
