#include "app/commands/common_options.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "app/run/engine_loader.h"
#include "app/run/planned_run.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/power_meter.h"
#include "gpubench/record/names.h"
#include "gpubench/report_writer.h"

namespace gpubench {
namespace {

/// Adds --threads, --timeout, --resume and the options of the result. `row` is "case" or "row".
void add_run_options(CommandParser& parser, RunOptions& options, const std::string& row) {
  add_threads(parser, options.threads);
  parser.option("--timeout", "TIME", "Time for one " + row, options.timeout);
  parser.option("--resume", "FILE", "Continue this result or journal", options.resume);
  add_result_output(parser, options);
  add_anonymize(parser, options);
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names = datasets().names();
  names.insert(names.end(), {"auto", "synthetic"});
  return names;
}

/// Returns a help text with the default of the option.
using HelpText = std::function<std::string(const std::string& help, const std::string& usual)>;

void add_mode_options(CommandParser& parser, PlanOptions& plan, const HelpText& help) {
  parser.list("--execution", "NAME,...", help(either(known_names<Execution>()), "auto"), plan.executions)
      .offers(known_names<Execution>);
  parser.list("--precision", "NAME,...", join(known_names<Precision>()), plan.precisions)
      .offers(known_names<Precision>);
  parser.list("--layout", "NAME,...", help(either(known_names<Layout>()), "auto"), plan.layouts)
      .offers(known_names<Layout>);
  parser.list("--loader", "NAME,...", "resident, or host: prefetched batches", plan.loaders)
      .offers(known_names<Loader>);
}

void add_plan_options(CommandParser& parser, PlanOptions& plan, const DefaultText& default_text,
                      const HelpText& help) {
  parser.list("--model", "NAME,...", help("Models, a list", join(plan.models)), plan.models).offers([] {
    return load_engine().models().names();
  });
  const auto set_sizes = [&plan](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      // Without one no digit is left.
      const std::size_t equals = std::min(word.find('='), word.size() - 1);
      const char* const end = word.data() + word.size();
      std::int64_t value = 0;
      const auto [rest, error] = std::from_chars(word.data() + equals + 1, end, value);
      require(error == std::errc() && rest == end,
              "--model-arg {}: give a name and a whole number, as layers=4", word);
      plan.sizes[word.substr(0, equals)] = value;
    }
  };
  parser.add_list("--model-arg", "NAME=N,...", "Of the network: embedding=500,layers=4", set_sizes);
  add_devices(parser, plan.devices, default_text("auto"));
  parser.list("--batch", "N,...", help("Batch sizes, a list", "128"), plan.batch_sizes);
  parser.list("--world-size", "N,...", "Processes that train together; 0: 1, 2, 4, ... to all", plan.ranks);
  parser.list("--rank-batch", "N,...", "Batch sizes of each rank, instead of --batch", plan.rank_batch_sizes);
  parser.option("--dataset", "NAME", help("auto, synthetic or a dataset's name", plan.dataset), plan.dataset)
      .offers(dataset_names);
  parser.option("--protocol", "NAME", help("epoch, or fit: with validation", "epoch"), plan.protocol)
      .offers(known_names<Protocol>);
  parser.option("--max-samples", "N", help("Samples used of each split", "0: all"), plan.limit);
  parser.option("--seed", "N", help("Seed of weights and shuffling", "0"), plan.seed);
  parser.option("--learning-rate", "X", "Instead of the model's own", plan.learning_rate);
}

void add_length_options(CommandParser& parser, TrainOptions& options, const HelpText& help) {
  PlanOptions& plan = options.plan;
  parser.option("--epochs", "N", help("Epochs, warm-up included", "5"), plan.epochs);
  parser.option("--warmup", "N", help("Epochs discarded as warm-up", "1"), plan.warmup_epochs);
  parser.option("--min-epochs", "N", help("Minimum epochs before a target", "5"), plan.min_epochs);
  parser.option("--max-epochs", "N", help("Maximum epochs for a target", "200"), plan.max_epochs);
  parser.option("--target-ci", "X", help("Stop when ± this process is below", "0.02"), plan.target_rel_ci95);
  parser.option("--min-time", "TIME", "Train each case for at least this time (shows throttling)",
                plan.min_timed);
  parser.option("--repeat", "N", help("Repetitions in fresh processes", std::to_string(plan.repeat)),
                plan.repeat);
  parser.option("--order-seed", "N", "Seed of the order of repetitions (default 0)", options.order_seed);
  parser.option("--budget", "TIME", "Time for all: 20m, 1h30m", options.budget);
}

void add_energy_options(CommandParser& parser, EnergyOptions& options) {
  parser
      .option("--meter", "NAME,...", "Power: auto, none, nvml, rapl, replay:LOG; a list (auto)",
              options.meter)
      .offers(meter_names);
  parser.option("--min-energy-time", "TIME", "Minimum time of training with a meter: 10s, or auto",
                options.window);
  parser.option("--idle", "TIME", "Length of idle measurements around a case (default 2s)", options.idle);
  parser.option("--power-log", "FILE", "Write every reading of power to this file", options.raw_log);
}

void add_process_options(CommandParser& parser, TrainOptions& options) {
  add_run_options(parser, options, "case");
  add_rendezvous_timeout(parser, options);
  add_process_choices(parser, options, "case");
  parser.flag("--profile", "Profile the time of a step after the run", options.plan.is_profiled);
  parser.option("--trace", "DIR", "Profile, and write a Chrome trace of each case to this folder",
                options.plan.trace);
  parser.option("--memory-limit", "SIZE", "Host memory of a case: 8G", options.memory_limit);
  parser.flag("--find-max-batch", "The largest batch that fits", options.finds_max_batch);
  parser.flag("--dry-run", "Cases and their estimated time, in seconds; no training", options.is_dry_run);
}

}  // namespace

std::string either(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : join(names) + " or " + last;
}

std::vector<std::string> meter_names() {
  std::vector<std::string> names = power_meters().names();
  names.insert(names.begin(), "auto");
  return names;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names = load_engine().usable_devices();
  names.push_back("auto");
  return names;
}

std::vector<std::string> resolve_devices(const Engine& engine, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const std::string& word : wanted) add_once(names, engine.resolve_device(word));
  return names;
}

std::vector<DatasetFacts> dataset_facts(const std::string& data_dir) {
  std::vector<DatasetFacts> facts;
  for (const DatasetEntry& entry : datasets()) {
    const auto folder = dataset_folder(entry, data_directory(data_dir));
    facts.push_back({&entry, folder.string(), entry.is_present(folder)});
  }
  return facts;
}

std::string dataset_remedy(const DatasetEntry& entry, const std::string& folder) {
  if (entry.files.empty()) return "put " + entry.summary + " into " + folder;
  return "run 'gpubench data fetch " + entry.name + "'";
}

std::vector<DeviceFacts> device_facts() {
  std::vector<DeviceFacts> facts;
  for (const DeviceEntry& entry : load_engine().device_kinds()) {
    DeviceFacts kind{entry.name, entry.summary, {}, ""};
    const int count = entry.count(kind.why_not);
    for (int index = 0; index < count; ++index) kind.devices.push_back(entry.open(index)->record());
    facts.push_back(std::move(kind));
  }
  return facts;
}

void add_devices(CommandParser& parser, std::vector<std::string>& devices, const std::string& default_text) {
  parser.list("--device", "NAME,...", "auto, cpu, cuda, cuda:1, mps; a list (" + default_text + ")", devices)
      .offers(device_names);
}

void add_threads(CommandParser& parser, int& threads) {
  parser.option("--threads", "N", "CPU threads (default: at most the cores available)", threads);
}

void add_quiet(CommandParser& parser, bool& is_quiet) {
  parser.flag("-q,--quiet", "Neither progress nor notes on stderr", is_quiet);
}

void add_data_dir(CommandParser& parser, DataOptions& options) {
  parser.option("--data-dir", "DIR", "Folder of the datasets (or GPUBENCH_DATA_DIR)", options.data_dir);
}

void add_base_url(CommandParser& parser, DataOptions& options) {
  parser.option("--base-url", "URL", "Download from here (or GPUBENCH_BASE_URL)", options.base_url)
      .environment("GPUBENCH_BASE_URL");
}

CommandOption add_output(CommandParser& parser, const std::string& help, std::string& output,
                         bool& overwrites) {
  const CommandOption option = parser.option("-o,--output", "PATH", help, output);
  parser.flag("--overwrite", "Replace what is there", overwrites);
  return option;
}

void add_result_output(CommandParser& parser, ResultOutput& to) {
  add_output(parser, "Result file, folder, or - for stdout", to.output, to.overwrites);
  add_quiet(parser, to.is_quiet);
}

void add_anonymize(CommandParser& parser, ResultOutput& to) {
  parser.flag("--anonymize", "Remove host name, command line, paths and other texts from the result",
              to.is_shared);
}

void add_table_options(CommandParser& parser, TableOptions& options, const std::string& usual_time) {
  add_devices(parser, options.devices);
  parser.option("--sample", "TIME", "Minimum time of a sample (5ms)", options.sample);
  parser.option("--time", "TIME", fmt::format("Time of a row ({})", usual_time), options.time);
  add_run_options(parser, options, "row");
}

void add_process_choices(CommandParser& parser, RunOptions& options, const std::string& row) {
  parser
      .option("--allocator", "NAME",
              fmt::format("Host allocator: tuned, or system: unchanged ({})", options.allocator),
              options.allocator)
      .offers(allocator_names);
  parser
      .option("--isolate", "HOW", fmt::format("process: one process per {}; none: this process for all", row),
              options.isolate)
      .offers(isolation_names);
}

void add_rendezvous_timeout(CommandParser& parser, RunOptions& options) {
  parser.option("--rendezvous-timeout", "TIME", "Time to wait for other ranks (default 60s)", options.join);
}

void add_document_output(CommandParser& parser, DocumentOutput& to) {
  add_output(parser, "File, or folder for one of the same name (default: stdout)", to.output, to.overwrites);
}

std::vector<std::string> ComparedInputs::all() const {
  std::vector<std::string> inputs = against;
  std::ranges::copy_if(files, std::back_inserter(inputs), [&](const std::string& file) {
    return std::ranges::find(against, file) == against.end();
  });
  return inputs;
}

void add_inputs(CommandParser& parser, ComparedInputs& inputs) {
  parser.option("files", "FILE ...",
                "Result files, folders of them, published:NAME; the first is the baseline", inputs.files);
  parser.option("--against", "FILE", "The baseline instead: a file, or published:rtx-2070-super",
                inputs.against);
  parser.flag("--force", "Show figures of unlike work too", inputs.is_forced);
  add_equal_within(parser, inputs.equal_within, "Smaller differences count as equal (5%; sides of ab 2%)");
}

void add_equal_within(CommandParser& parser, std::string& equal_within, const std::string& help) {
  parser.option("--equivalence-margin", "2%", help, equal_within);
}

std::optional<double> parse_equality_margin(const std::string& equal_within, const std::string& gate) {
  if (equal_within.empty()) return std::nullopt;
  require(gate.empty(), "--equivalence-margin: --gate has a threshold of its own; leave one out");
  const double margin = parse_percent(equal_within, "--equivalence-margin");
  require(margin > 0, "--equivalence-margin {}: must be above 0", equal_within);
  return margin;
}

ExitCode exit_code(GateVerdict answer) {
  if (answer == GateVerdict::kRegression) return ExitCode::kRegression;
  if (answer == GateVerdict::kIncomparable) return ExitCode::kIncomparable;
  return answer == GateVerdict::kInconclusive ? ExitCode::kInconclusive : ExitCode::kOk;
}

void add_format(CommandParser& parser, std::string& format) {
  parser.option("--format", "NAME", join(report_formats().names()) + ", to stdout (txt)", format).offers([] {
    return report_formats().names();
  });
}

void add_price(CommandParser& parser, std::string& price) {
  parser.option("--price-kwh", "0.30", "What a kWh costs, in any currency: energy then has a cost", price);
}

std::optional<double> to_price(const std::string& price) {
  return price.empty() ? std::nullopt : std::optional(parse_price(price, "--price-kwh"));
}

void add_prices(CommandParser& parser, std::vector<std::string>& prices) {
  parser.option("--price", "NAME=AMOUNT", "Price of a machine per hour: adds costs; repeatable", prices);
}

void set_prices(std::vector<Candidate>& candidates, const std::vector<std::string>& prices) {
  for (const std::string& price : prices) {
    const std::size_t sign = price.rfind('=');
    require(sign != std::string::npos, "--price {}: give NAME=AMOUNT, such as laptop=0.50", price);
    set_price(candidates, price.substr(0, sign), parse_price(price.substr(sign + 1), "--price"));
  }
}

void refuse_options_of_runs(const ComparedInputs& inputs, const std::string& price,
                            const std::vector<std::string>& prices) {
  require(price.empty() && prices.empty() && !inputs.is_forced,
          "{}: works on results of runs, not on tables of operations; leave it out",
          inputs.is_forced ? "--force"
          : prices.empty() ? "--price-kwh"
                           : "--price");
}

std::string usual_default(const std::string& usual) { return "default " + usual; }

void add_training_options(CommandParser& parser, TrainOptions& options, const DefaultText& default_text) {
  const auto help = [&](const std::string& text, const std::string& usual) {
    return fmt::format("{} ({})", text, default_text(usual));
  };
  add_plan_options(parser, options.plan, default_text, help);
  add_mode_options(parser, options.plan, help);
  add_length_options(parser, options, help);
  add_energy_options(parser, options.energy);
  add_process_options(parser, options);
  add_data_dir(parser, options.data);
  add_base_url(parser, options.data);
  parser.flag("--offline", "Never download", options.data.is_offline);
}

}  // namespace gpubench
