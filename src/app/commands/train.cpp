#include "app/commands/train.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/command.h"
#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/run/engine_loader.h"
#include "app/run/execution.h"
#include "app/run/peer_run.h"
#include "app/run/trials.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/power_meter.h"
#include "gpubench/record/names.h"

namespace gpubench {
namespace {

/// "layers=4".
std::pair<std::string, std::int64_t> parse_size_choice(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string number = equals == std::string::npos ? "" : word.substr(equals + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc() && end == number.data() + number.size()) return {word.substr(0, equals), value};
  throw Error(ErrorKind::kUsage, "--model-arg " + word + ": give a name and a whole number, as layers=4");
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names = datasets().names();
  names.insert(names.end(), {"auto", "synthetic"});
  return names;
}

using Word = Setter<std::string>;
using Words = Setter<std::vector<std::string>>;

std::string with_default(const std::string& help, const std::string& default_text) {
  return fmt::format("{} ({})", help, default_text);
}

/// A list of modes by name.
template <class Enum>
void add_modes(CommandParser& parser, const std::string& name, std::vector<Enum>& modes,
               const std::string& help) {
  const auto set = [&modes](const std::vector<std::string>& given) {
    modes = mapped(given, [](const std::string& text) {
      return enum_names(Enum{}).find_value(text, ErrorKind::kUsage);
    });
  };
  parser.add(name, "NAME,...", help, Words(set), /*has_commas=*/true).offers(known_names<Enum>);
}

/// How it is trained: each a list, which makes the grid larger.
void add_mode_options(CommandParser& parser, PlanOptions& plan, const DefaultText& default_text) {
  const std::string usual = default_text("auto");
  add_modes(parser, "--execution", plan.executions, with_default(either(known_names<Execution>()), usual));
  add_modes(parser, "--precision", plan.precisions, join(known_names<Precision>()));
  add_modes(parser, "--layout", plan.layouts, with_default(either(known_names<Layout>()), usual));
  add_modes(parser, "--loader", plan.loaders, "resident, or host: prefetched batches");
}

void add_sizes(CommandParser& parser, ModelSizes& sizes) {
  const auto set = [&sizes](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const auto [name, value] = parse_size_choice(word);
      sizes[name] = value;
    }
  };
  parser.add("--model-arg", "NAME=N,...", "Of the network: embedding=500,layers=4", Words(set), true);
}

/// What is measured.
void add_plan_options(CommandParser& parser, PlanOptions& plan, const DefaultText& default_text) {
  parser
      .list("--model", "NAME,...", with_default("Models, a list", default_text(join(plan.models))),
            plan.models)
      .offers([] { return load_engine().models().names(); });
  add_sizes(parser, plan.sizes);
  add_devices(parser, plan.devices, default_text("auto"));
  parser.list("--batch", "N,...", with_default("Batch sizes, a list", default_text("128")), plan.batch_sizes);
  parser.list("--world-size", "N,...", "Processes that train together; 0: 1, 2, 4, ... to all", plan.ranks);
  parser.list("--rank-batch", "N,...", "Instead of --batch: of each rank", plan.rank_batch_sizes);
  parser
      .option("--dataset", "NAME",
              with_default("auto, synthetic or a dataset's name", default_text(plan.dataset)), plan.dataset)
      .offers(dataset_names);
  const auto set_protocol = [&plan](const std::string& name) { plan.protocol = value_named<Protocol>(name); };
  parser
      .add("--protocol", "NAME", with_default("epoch, or fit: with validation", default_text("epoch")),
           Word(set_protocol))
      .offers(known_names<Protocol>);
  parser.option("--max-samples", "N", with_default("Samples used of each split", default_text("0: all")),
                plan.limit);
  parser.option("--seed", "N", with_default("Seed of weights and shuffling", default_text("0")), plan.seed);
  parser.option("--learning-rate", "X", "Instead of the model's own", plan.learning_rate);
}

/// How long.
void add_length_options(CommandParser& parser, TrainOptions& options, const DefaultText& default_text) {
  PlanOptions& plan = options.plan;
  parser.option("--epochs", "N", with_default("Epochs, warm-up included", default_text("5")), plan.epochs);
  parser.option("--warmup", "N", with_default("Epochs discarded as warm-up", default_text("1")),
                plan.warmup_epochs);
  parser.option("--min-epochs", "N", with_default("Minimum epochs before a target", default_text("5")),
                plan.min_epochs);
  parser.option("--max-epochs", "N", with_default("Maximum epochs for a target", default_text("200")),
                plan.max_epochs);
  parser.option("--target-ci", "X", with_default("Stop when ± this process is below", default_text("0.02")),
                plan.target_rel_ci95);
  const auto set_soak = [&plan](const std::string& time) {
    plan.min_timed = parse_duration(time, "--min-time");
  };
  parser.add("--min-time", "TIME", "Train each case for at least this time (shows throttling)",
             Word(set_soak));
  parser.option("--repeat", "N",
                with_default("Repetitions in fresh processes", default_text(std::to_string(plan.repeat))),
                plan.repeat);
  parser.option("--order-seed", "N", "Seed of their order (default 0)", options.order_seed);
  parser.option("--budget", "TIME", "Time for all: 20m, 1h30m", options.budget);
  parser.option("--timeout", "TIME", "Time for one case", options.timeout);
}

/// What it takes.
void add_energy_options(CommandParser& parser, EnergyOptions& options) {
  parser
      .option("--meter", "NAME,...", "Power: auto, none, nvml, rapl, replay:LOG; a list (auto)",
              options.meter)
      .offers(meter_names);
  parser.option("--min-energy-time", "TIME", "Train so long at least for a meter: 10s, or auto",
                options.window);
  parser.option("--idle", "TIME", "Idle power, before and after a case, for (default 2s)", options.idle);
  parser.option("--power-log", "FILE", "Every reading of power goes to this file", options.raw_log);
}

/// How.
void add_run_options(CommandParser& parser, TrainOptions& options) {
  add_threads(parser, options.threads);
  parser.option("--rendezvous-timeout", "TIME", "For the other ranks to come (default 60s)", options.join);
  parser.option("--allocator", "NAME", "tuned, or system: glibc's as it comes (tuned)", options.allocator)
      .offers(allocator_names);
  parser.flag("--profile", "Afterwards: where the time of a step goes", options.plan.is_profiled);
  parser.option("--trace", "DIR", "and a Chrome trace of each case in this folder", options.plan.trace);
  parser.option("--isolate", "HOW", "process: one process per case; none: one for all", options.isolate)
      .offers(isolation_names);
  parser.option("--memory-limit", "SIZE", "Host memory of a case: 8G", options.memory_limit);
  parser.flag("--find-max-batch", "The largest batch that fits", options.finds_max_batch);
  parser.flag("--dry-run", "Cases and their estimated time, in seconds; no training", options.is_dry_run);
  parser.option("--resume", "FILE", "Continue this result or journal", options.resume);
  add_output(parser, "Result file, folder, or - for stdout", options.output, options.overwrites);
  parser.flag("--anonymize", "Removes host name, command line, paths and other texts from the result",
              options.is_shared);
  add_quiet(parser, options.is_quiet);
}

bool says_what_to_measure(const TrainOptions& options) {
  PlanOptions plan = options.plan;
  plan.trace.clear();
  return !options.suite.empty() || !(plan == PlanOptions{});
}

/// What `options` say of places holds instead of what the journal says.
void choose_places(TrainOptions& former, const TrainOptions& options) {
  const auto choose = [](std::string& then, const std::string& now) {
    if (!now.empty()) then = now;
  };
  choose(former.data.data_dir, options.data.data_dir);
  choose(former.data.base_url, options.data.base_url);
  choose(former.energy.raw_log, options.energy.raw_log);
  choose(former.plan.trace, options.plan.trace);
  if (options.energy.meter != "auto") former.energy.meter = options.energy.meter;
}

/// A journal that came from elsewhere leads to no other files: whoever resumes it says where these are.
void require_known_places(const TrainOptions& former, const TrainOptions& options,
                          const JournalHeader<Case>& header) {
  const auto given = outside_places(options);
  for (const auto& [option, value] : outside_places(former)) {
    if (std::ranges::find(given, option, [](const auto& place) { return place.first; }) != given.end())
      continue;
    require(is_own_journal(header),
            "--resume {}: names {} {}, and was not begun by you here; give {} once more", options.resume,
            option, value, option);
  }
}

/// What the journal's run was asked for.
TrainOptions former_options(const JournalHeader<Case>& header, const std::string& file) {
  try {
    TrainOptions former = parse_over({}, header.tool.arguments);
    require(!former.is_dry_run && !former.finds_max_batch && former.resume.empty(),
            "it measures nothing anew");
    return former;
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, "journal {}: holds no command line of a run ({})",
                journal_path(file).string(), error.what());
  }
}

/// Where the data comes from. Of what the journal says the password is missing.
void complete(DataOptions& former, const TrainOptions& options) {
  former.is_offline = former.is_offline || options.data.is_offline;
  if (former.is_offline || former.base_url.find(kHiddenPassword) == std::string::npos) return;
  throw Error(ErrorKind::kUsage, "--resume " + options.resume +
                                     ": the password of its --base-url was not stored; give --base-url once "
                                     "more, or --offline where the data is there");
}

/// The command line for ranks that this process starts: they find the data where it does.
std::vector<std::string> typed_with_places(std::vector<std::string> typed, const DataOptions& data) {
  const auto add = [&](const std::string& option, const std::string& value) {
    const auto is_it = [&](const std::string& word) {
      return word == option || word.starts_with(option + "=");
    };
    if (value.empty() || std::ranges::any_of(typed, is_it)) return;
    append(typed, std::vector<std::string>{option, value});
  };
  add("--data-dir", data.data_dir);
  add("--base-url", data.base_url);
  if (data.is_offline && std::ranges::find(typed, "--offline") == typed.end())
    typed.emplace_back("--offline");
  return typed;
}

std::unique_ptr<PlannedRun> planned(const TrainOptions& former, const JournalHeader<Case>& header,
                                    const std::string& file) {
  try {
    return std::make_unique<PlannedRun>(former, header.tool.arguments);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    throw Error(ErrorKind::kData, "journal {}: its run cannot be planned ({})", journal_path(file).string(),
                error.what());
  }
}

/// Continues a run. Its own command line says what it was, unless the present one says what it must have
/// been.
ExitCode resume(const TrainOptions& options, const std::vector<std::string>& arguments) {
  const JournalState<Case> state = read_journal<Case>(journal_path(options.resume));
  if (says_what_to_measure(options)) {
    const PlannedRun run(options, arguments);
    return PlanExecution(run).resume(options.resume);
  }
  TrainOptions former = former_options(state.header, options.resume);
  require_known_places(former, options, state.header);
  choose_places(former, options);
  former.resume = options.resume;
  former.is_quiet = options.is_quiet;
  if (!options.timeout.empty()) former.timeout = options.timeout;
  if (!options.join.empty()) former.join = options.join;
  complete(former.data, options);
  former.typed = typed_with_places(options.typed, former.data);
  const auto run = planned(former, state.header, options.resume);
  return PlanExecution(*run).resume(options.resume);
}

/// The first screen of help has room for what most people need.
void add_program_options(CommandParser& parser) {
  const CommandLine& line = parser.line();
  add_training_options(parser, *line.training);
  parser.hide({"--learning-rate", "--memory-limit", "--order-seed", "--allocator", "--trace",
               "--min-energy-time", "--idle", "--power-log", "--base-url", "--overwrite", "--min-epochs",
               "--seed", "--rank-batch", "--rendezvous-timeout", "--max-epochs", "--target-ci"});
  parser.on_parsed(
      [options = line.training, arguments = line.arguments] { return run_train(*options, arguments); });
}

}  // namespace

std::string usual_default(const std::string& usual) { return "default " + usual; }

void add_training_options(CommandParser& parser, TrainOptions& options, const DefaultText& default_text) {
  add_plan_options(parser, options.plan, default_text);
  add_mode_options(parser, options.plan, default_text);
  add_length_options(parser, options, default_text);
  add_energy_options(parser, options.energy);
  add_run_options(parser, options);
  add_data_dir(parser, options.data);
  add_base_url(parser, options.data);
  parser.flag("--offline", "Never download", options.data.is_offline);
}

ExitCode run_train(const TrainOptions& given, const std::vector<std::string>& arguments) {
  if (is_peer_rank()) return run_peer_rank(given, arguments);
  TrainOptions options = given;
  options.typed = arguments;
  if (!options.resume.empty()) return resume(options, arguments);
  const PlannedRun run(options, arguments);
  PlanExecution execution(run);
  if (options.is_dry_run) return run_dry(execution);
  if (options.finds_max_batch) return run_max_batch(execution);
  return execution.start();
}

CommandEntry entry_train() { return {"train", "", CommandKind::kProgram, add_program_options}; }

}  // namespace gpubench
