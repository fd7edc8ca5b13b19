#include "app/cli.h"

#include "app/commands.h"
#include "app/document_options.h"
#include "app/engine_loader.h"
#include "app/ops_cli.h"
#include "app/training_options.h"
#include "gpubench/dataset.h"
#include "gpubench/engine/suite.h"
#include "gpubench/power_meter.h"
#include "gpubench/report_writer.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

constexpr const char* kDescription =
    "gpubench measures how fast a machine trains neural networks: whole epochs of real ones on real data.";

constexpr const char* kExamples =
    "Examples:\n"
    "  gpubench suite quick\n"
    "  gpubench --device mps --model cnn --batch 1024\n"
    "Result files: gpubench validate, migrate, merge or redact FILE. All options: gpubench suite --help\n"
    "Exit codes: 0 ok, 2 usage, 3 data, 4 device, 5 a case failed, 130 interrupted. More: gpubench COMMAND "
    "--help";

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const Suite& suite : all_suites()) names.push_back(suite.name);
  return names;
}

std::vector<std::string> meter_names() {
  std::vector<std::string> names = power_meters().names();
  names.insert(names.begin(), "auto");
  return names;
}

/// CLI11 appends types, ranges and environment variables of its own; the help texts say what matters.
class PlainFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }
};

/// The first screen of help has room for what most people need.
void hide_rare_options(CLI::App& app) {
  for (const char* name :
       {"--order-seed", "--allocator", "--trace", "--energy-window", "--idle", "--power-log", "--base-url"}) {
    app.get_option(name)->group("");
  }
}

}  // namespace

Cli::Cli(const PlanOptions& base) : app_(kDescription, "gpubench") {
  train_.plan = base;
  app_.footer(kExamples);
  app_.set_version_flag("--version", "gpubench " GPUBENCH_VERSION);
  app_.require_subcommand(0, 1);
  const auto formatter = std::make_shared<PlainFormatter>();
  formatter->column_width(26);
  app_.formatter(formatter);
  add_training_options(app_, train_);
  hide_rare_options(app_);
  add_suite();
  add_list();
  add_doctor();
  add_peak();
  add_ops_command(app_, ops_);
  add_calibrate();
  add_data();
  results_.add_to(app_);
  add_document_commands(app_, document_);
  // Unknown words are collected, so that the message can name the nearest known one.
  app_.allow_extras();
  for (CLI::App* command : app_.get_subcommands(nullptr)) command->allow_extras();
}

void Cli::add_suite() {
  CLI::App* command = app_.add_subcommand("suite", "Run a named plan; list or show the plans there are");
  command->footer(
      "Examples:\n  gpubench suite quick\n  gpubench suite s0 --device cpu --limit 4096\n"
      "  gpubench suite mine.json --dry-run\nOptions replace what the suite says in each of its groups.");
  command->add_subcommand("list", "Names and summaries")->allow_extras();
  CLI::App* show = command->add_subcommand("show", "The text of a suite, to start one's own from");
  show->add_option("name", suite_.name, "Name or file")->type_name("NAME")->required();
  show->allow_extras();
  command->add_option("suite", train_.suite, "Name of a suite, or its file")->type_name("NAME|FILE");
  add_training_options(*command, train_);
}

void Cli::add_list() {
  CLI::App* command =
      app_.add_subcommand("list", "Models with parameters and cost, datasets, devices, meters, operations");
  command->add_option("what", list_.what, "models, datasets, devices, meters or ops (default: all)")
      ->type_name("WHAT");
  command->add_flag("--json", list_.is_json, "As JSON");
  add_data_dir(*command, list_.data);
  command->footer("Examples:\n  gpubench list models\n  gpubench list --json");
}

void Cli::add_doctor() {
  CLI::App* command =
      app_.add_subcommand("doctor", "What this machine has, what is missing and how to get it");
  add_data_dir(*command, doctor_.data);
  command->add_flag("--power", doctor_.has_power, "Load a device for 10 s and look at the power meters");
  command->add_option("--device", doctor_.device, "Which, for that (default auto)")->type_name("NAME");
  command->add_option("--meter", doctor_.meter, "Which meters, for that (default auto)")
      ->type_name("NAME,...");
  command->footer("Examples:\n  gpubench doctor\n  gpubench doctor --power --device cuda");
}

void Cli::add_peak() {
  CLI::App* command =
      app_.add_subcommand("peak", "What this machine reaches at best, for later runs to compare");
  command->add_option("--device", peak_.devices, "auto, cpu, cuda, cuda:1, mps; a list (default auto)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  command->add_option("--threads", peak_.threads, "CPU threads (default: at most the cores available)")
      ->type_name("N");
  command->add_flag("--quick", peak_.is_quick, "A trial of about a second, instead of a minute a device");
  command->add_option("-o,--output", peak_.output, "Document, folder, or - for stdout")->type_name("PATH");
  command->add_flag("-q,--quiet", peak_.is_quiet, "Neither progress nor notes on stderr");
  command->footer("Examples:\n  gpubench peak\n  gpubench peak --device cpu,cuda -o peaks/");
}

void Cli::add_calibrate() {
  CLI::App* command =
      app_.add_subcommand("calibrate", "How far apart equal runs are on this machine, for gates");
  calibrate_.plan.models = {"mlp"};
  calibrate_.plan.repeat = 10;
  add_training_options(*command, calibrate_);
  command->footer(
      "Runs one case (mlp, batch 128) in ten fresh processes; --model, --batch and --repeat choose "
      "otherwise.\n"
      "Examples:\n  gpubench calibrate\n  gpubench calibrate --device cuda --model cnn --batch 1024");
}

void Cli::add_data() {
  CLI::App* command = app_.add_subcommand("data", "Download or check datasets");
  command->require_subcommand(0, 1);
  command->footer("Examples:\n  gpubench data fetch fashion-mnist\n  gpubench data verify");
  CLI::App* fetch =
      command->add_subcommand("fetch", "Download what is missing; resumes, checks every checksum");
  CLI::App* verify = command->add_subcommand("verify", "Read every file and say where it came from");
  for (CLI::App* action : {fetch, verify}) {
    action->add_option("names", data_.names, "Datasets (default: all)")->type_name("NAME ...");
    add_data_dir(*action, data_.data);
    action->add_flag("-q,--quiet", data_.is_quiet, "No progress on stderr");
    action->allow_extras();
  }
  add_base_url(*fetch, data_.data);
}

Command Cli::suite_command(const std::vector<std::string>& arguments) const {
  const CLI::App* suite = app_.get_subcommand("suite");
  if (suite->got_subcommand("list")) return run_suite_list;
  if (suite->got_subcommand("show")) return [options = suite_] { return run_suite_show(options); };
  if (train_.suite.empty() && train_.resume.empty()) {
    throw Error(ErrorKind::kUsage,
                "suite: name one, as in 'gpubench suite quick'; see 'gpubench suite list'");
  }
  return [options = train_, arguments] { return run_train(options, arguments); };
}

Command Cli::doctor_command(const std::vector<std::string>& arguments) const {
  if (!doctor_.has_power) return [options = doctor_] { return run_doctor(options); };
  return [options = doctor_, arguments] { return run_power_doctor(options, arguments); };
}

Command Cli::command(const std::vector<std::string>& arguments) const {
  if (const auto command = results_.command(app_)) return *command;
  if (app_.got_subcommand("suite")) return suite_command(arguments);
  if (app_.got_subcommand("list")) return [options = list_] { return run_list(options); };
  if (app_.got_subcommand("doctor")) return doctor_command(arguments);
  if (app_.got_subcommand("calibrate")) {
    return [options = calibrate_, arguments] { return run_calibrate(options, arguments); };
  }
  if (app_.got_subcommand("peak")) {
    return [options = peak_, arguments] { return run_peak(options, arguments); };
  }
  if (app_.got_subcommand("ops")) return [options = ops_, arguments] { return run_ops(options, arguments); };
  if (Command command = document_command(app_, document_, arguments)) return command;
  if (!app_.got_subcommand("data")) {
    return [options = train_, arguments] { return run_train(options, arguments); };
  }
  const CLI::App* data = app_.get_subcommand("data");
  if (data->got_subcommand("fetch")) return [options = data_] { return run_data_fetch(options); };
  if (data->got_subcommand("verify")) return [options = data_] { return run_data_verify(options); };
  throw Error(ErrorKind::kUsage, "data: say 'gpubench data fetch' or 'gpubench data verify'");
}

std::vector<std::string> Cli::values_of(const std::string& option) const {
  if (option == "--model") return load_engine().models().names();
  if (option == "suite" || option == "name") return suite_names();
  if (option == "--protocol") return {"epoch", "fit"};
  if (option == "--execution") return {"auto", "eager", "graph"};
  if (option == "--precision") return {"fp32", "tf32", "bf16", "fp16", "amp-bf16", "amp-fp16"};
  if (option == "--layout") return {"auto", "nchw", "channels-last"};
  if (option == "--loader") return {"resident", "host"};
  if (option == "--allocator") return {"tuned", "system"};
  if (option == "--format") return report_formats().names();
  if (option == "--meter") return meter_names();
  if (option == "--isolate") return {"process", "none"};
  if (option == "names") return datasets().names();
  if (option == "what") return {"models", "datasets", "devices", "meters", "ops"};
  std::vector<std::string> values;
  if (option == "--dataset") {
    values = datasets().names();
    values.insert(values.end(), {"auto", "synthetic"});
  }
  if (option == "--device") {
    values = load_engine().usable_devices();
    values.push_back("auto");
  }
  return values;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  // The parser returns those that were parsed where it is given no filter.
  const auto is_any = [](const CLI::App*) { return true; };
  std::vector<std::string> names;
  for (const CLI::App* subcommand : command.get_subcommands(is_any)) names.push_back(subcommand->get_name());
  return names;
}

}  // namespace gpubench
