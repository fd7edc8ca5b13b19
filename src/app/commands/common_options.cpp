#include "app/commands/common_options.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "app/run/engine_loader.h"
#include "compare/published.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/power_meter.h"
#include "gpubench/report_writer.h"

namespace gpubench {
namespace {

std::vector<std::string> dataset_names() {
  std::vector<std::string> names = datasets().names();
  names.insert(names.end(), {"auto", "synthetic"});
  return names;
}

/// Returns the values for completion of parameters that do not list them in the table.
KnownNames offered_names(const std::string& key) {
  if (key == "model") return [] { return model_catalog().names(); };
  if (key == "dataset") return dataset_names;
  if (key == "device") return device_names;
  if (key == "op") return [] { return op_catalog().names(); };
  return {};
}

const char* heading(Topic topic) {
  constexpr std::array kHeadings{"Workload", "Execution", "Duration"};
  return kHeadings[static_cast<std::size_t>(topic)];
}

/// Returns what the values of a parameter choose, for help; empty if the values explain themselves.
const char* describe_choice(const std::string& key) {
  if (key == "execution") return "Launch mode: ";
  if (key == "layout") return "Image layout: ";
  if (key == "loader") return "Location of samples: ";
  if (key == "direction") return "Passes: ";
  if (key == "cache") return "Caches before each call: ";
  if (key == "protocol") return "Timing protocol: ";
  return "";
}

template <class Point>
void add_parameter(CommandParser& parser, const Parameter<Point>& parameter, Grid<Point>& grid,
                   const DefaultText& default_text) {
  const ParameterUse& use = parameter.use;
  const std::string option = use.option;
  if (option.empty()) return;
  const std::string initial = use.initial;
  const bool is_flag = *use.type == '\0';
  const std::vector<std::string>& names = parameter.values.names;
  const bool has_names = !names.empty() && !is_flag;
  const bool is_usual = default_text(initial) == usual_default(initial);
  const auto mark_default = [&](const std::string& name) {
    return is_usual && name == initial ? name + " (default)" : name;
  };
  std::string help =
      has_names ? describe_choice(parameter.key) + join(mapped(names, mark_default)) : parameter.help;
  if (!initial.empty() && !is_flag && !has_names) help += " (" + default_text(initial) + ")";
  const auto set = [&grid, &parameter, name = longest_name(option)](const std::vector<std::string>& words) {
    grid.set(parameter, words, name);
  };
  const auto set_one = [set](const std::string& word) { set({word}); };
  KnownNames offered = offered_names(parameter.key);
  if (!offered) offered = [names] { return names; };
  if (use.span == Span::kList)
    parser.add_list(option, use.type, help, set).offers(offered);
  else if (is_flag || use.type[0] == '[')
    parser.add_flag(option, use.type, help, set_one);
  else
    parser.add(option, use.type, help, set_one).offers(offered);
  parser.group({longest_name(option)}, heading(use.topic));
  if (!use.is_common) parser.hide({longest_name(option)});
}

}  // namespace

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

void add_threads(CommandParser& parser, int& threads) {
  constexpr int kMost = 4096;
  parser.add("--threads", "N", "CPU threads (default: at most the available cores)",
             [&threads](const std::string& word) {
               threads = static_cast<int>(read_whole("--threads", word, 0, kMost));
             });
}

void add_store_file(CommandParser& parser, std::string& file) {
  parser.option("--store", "FILE", "SQLite file with earlier runs (or set GPUBENCH_STORE)", file);
}

void add_store(CommandParser& parser, StoreOptions& options) {
  add_store_file(parser, options.store);
  parser.flag("--no-store", "Write the result file only, use no store", options.has_no_store);
}

void add_quiet(CommandParser& parser, bool& is_quiet) {
  parser.flag("-q,--quiet", "Print no progress and no notes", is_quiet);
}

void add_data_dir(CommandParser& parser, std::string& data_dir) {
  parser.option("--data-dir", "DIR", "Folder of the datasets (or set GPUBENCH_DATA_DIR)", data_dir);
}

void add_output(CommandParser& parser, const std::string& help, std::string& output, bool& overwrites) {
  parser.option("-o,--output", "PATH", help, output);
  parser.flag("--force", "Replace existing files", overwrites);
}

void add_result_output(CommandParser& parser, ResultOutput& to) {
  add_output(parser, "Result file or folder; -: stdout (default: results/)", to.output, to.overwrites);
  add_quiet(parser, to.is_quiet);
  to.arguments = parser.line().arguments;
}

void add_device_options(CommandParser& parser, DeviceOptions& options) {
  parser.list("--device", "NAME,...", "Devices: auto, cpu, cuda, cuda:1, mps (default auto)", options.devices)
      .offers(device_names);
  add_threads(parser, options.threads);
  add_result_output(parser, options);
}

void add_run_options(CommandParser& parser, RunOptions& options, const std::string& row) {
  add_threads(parser, options.threads);
  parser.option("--timeout", "TIME", "Maximum time per " + row + ", such as 10m (default: none)",
                options.timeout);
  parser.add_optional("--resume", "[FILE]", "Resume the latest unfinished run, or that of FILE",
                      [&options](const std::string& word) { options.resume = word; });
  options.is_continued = parser.line().is_continued;
  add_store(parser, options);
  add_result_output(parser, options);
}

bool ComparedInputs::is_of_history() const { return baseline == std::vector<std::string>{"history"}; }

std::vector<std::string> ComparedInputs::all() const {
  if (is_of_history()) return files;
  std::vector<std::string> inputs = baseline;
  std::ranges::copy_if(files, std::back_inserter(inputs), [&](const std::string& file) {
    return std::ranges::find(baseline, file) == baseline.end();
  });
  return inputs;
}

void add_inputs(CommandParser& parser, ComparedInputs& inputs) {
  parser.option("files", "FILE ...", "Result files, folders, or published:NAME", inputs.files)
      .offers(published_inputs);
  parser
      .option("--baseline", "FILE", "File, published:NAME, or history (default: first file)", inputs.baseline)
      .offers(published_inputs);
  add_store_file(parser, inputs.store);
  parser.flag("--unlike", "Also compare different models or settings", inputs.is_forced);
  add_equal_within(parser, inputs.equal_within, "Treat smaller differences as equal (5%; for ab 2%)");
  parser.list("--metric", "NAME,...", "Metrics to show: keys or time, latency, memory, ...", inputs.metrics)
      .offers([] { return mapped(all_metrics(), &Metric::key); });
  add_price(parser, inputs.price_kwh);
  parser.option("--price", "NAME=AMOUNT", "Price of a machine per hour, for costs; repeatable",
                inputs.prices);
}

void add_price(CommandParser& parser, std::optional<double>& price) {
  parser.add("--price-kwh", "0.30", "Price of a kWh in any currency, for energy costs",
             [&price](const std::string& word) { price = parse_price(word, "--price-kwh"); });
}

void add_equal_within(CommandParser& parser, std::optional<double>& margin, const std::string& help) {
  parser.add("--equivalence-margin", "2%", help, [&margin](const std::string& word) {
    margin = parse_percent(word, "--equivalence-margin");
    require(*margin > 0, "--equivalence-margin {}: must be above 0", word);
  });
}

void add_gate(CommandParser& parser, GateOptions& options, const std::string& help) {
  parser
      .add_list("--gate", "[METRIC:]5%,...", help,
                [&options](const std::vector<std::string>& words) {
                  for (const std::string& word : words) {
                    const std::size_t colon = word.find(':');
                    const bool has_metric = colon != std::string::npos;
                    const Metric* const metric =
                        has_metric ? &find_metric(word.substr(0, colon), "--gate") : nullptr;
                    const std::string percent = has_metric ? word.substr(colon + 1) : word;
                    options.limits.push_back({metric, parse_percent(percent, "--gate")});
                  }
                })
      .offers([] { return mapped(all_metrics(), [](const Metric* metric) { return metric->key + ":"; }); });
  parser
      .add_list("--allow", "NAME,...", "Let a gate accept other settings: thread-count, ...",
                [&options](const std::vector<std::string>& words) {
                  for (const std::string& word : words) require_setting(word, "--allow");
                  append(options.allowed, words);
                })
      .offers(setting_names);
}

void check_gate(const GateOptions& options, const std::optional<double>& margin) {
  require(options.limits.empty() || !margin,
          "--equivalence-margin: excludes --gate, which has its own threshold; leave one out");
  require(!options.limits.empty() || options.allowed.empty(), "--allow: applies to a gate; add --gate 5%");
}

ExitCode exit_code(GateVerdict answer) {
  if (answer == GateVerdict::kRegression) return ExitCode::kRegression;
  if (answer == GateVerdict::kIncomparable) return ExitCode::kIncomparable;
  return answer == GateVerdict::kInconclusive ? ExitCode::kInconclusive : ExitCode::kOk;
}

void add_format(CommandParser& parser, std::string& format) {
  parser.option("--format", "NAME", "Format: " + join(report_formats().names()) + " (txt)", format)
      .offers([] { return report_formats().names(); });
}

std::string usual_default(const std::string& usual) { return "default " + usual; }

template <class Point>
void add_parameters(CommandParser& parser, const ParameterTable<Point>& parameters, Grid<Point>& grid,
                    const DefaultText& default_text) {
  for (const Parameter<Point>& parameter : parameters) add_parameter(parser, parameter, grid, default_text);
}
template void add_parameters(CommandParser&, const ParameterTable<OpPoint>&, Grid<OpPoint>&,
                             const DefaultText&);

void add_training_options(CommandParser& parser, TrainOptions& options, const DefaultText& default_text) {
  add_parameters<TrainPoint>(parser, train_parameters(), options.plan, default_text);
  parser.option("--budget", "TIME", "Maximum total time: 20m, 1h30m (default: none)", options.budget);
  parser.option("--meter", "NAME,...", "Power meters: auto (default), none, nvml, replay:LOG", options.meter)
      .offers(meter_names);
  parser.option("--power-log", "FILE", "Write every power reading to this file", options.power_log);
  add_run_options(parser, options, "case");
  parser.option("--memory-limit", "SIZE", "Host memory per case: 8G (default: free memory)",
                options.memory_limit);
  parser.flag("--dry-run", "Print cases and estimated times; train nothing", options.is_dry_run);
  add_data_dir(parser, options.data_dir);
  parser.flag("--offline", "Do not download; replace missing data by synthetic", options.is_offline);
  parser.group({"--threads", "--meter"}, heading(Topic::kHow));
  parser.group({"--budget", "--timeout"}, heading(Topic::kLength));
  parser.group({"--output", "--resume", "--dry-run", "--quiet"}, "Output");
  const std::vector<std::string> others{"--memory-limit", "--power-log", "--force",   "--data-dir",
                                        "--offline",      "--store",     "--no-store"};
  parser.group(others, "More");
  parser.hide(others);
}

}  // namespace gpubench
