#include "app/cli.h"

#include "app/commands.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

constexpr const char* kDescription =
    "gpubench measures how fast a machine trains neural networks.\n"
    "It trains real networks on real data, times whole epochs after a warm-up, and writes JSON.";

constexpr const char* kExamples =
    "Examples:\n"
    "  gpubench --device mps --model cnn --batch 1024\n"
    "  gpubench --model mlp,cnn,lstm --batch 32,128 --device cpu,cuda\n"
    "  gpubench --model resnet50 --limit 512 --epochs 2 -o -\n"
    "Exit codes: 0 ok, 2 usage, 3 data, 4 device, 5 a case failed. Help for one: gpubench SUBCOMMAND --help";

template <class T>
CLI::Option* add_list_option(CLI::App& command, const std::string& name, std::vector<T>& list,
                             const std::string& help) {
  return command.add_option(name, list, help)->delimiter(',')->allow_extra_args(false);
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

/// CLI11 appends types, ranges and environment variables of its own; the help texts say what matters.
class PlainFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }
};

}  // namespace

Cli::Cli() : app_(kDescription, "gpubench") {
  app_.footer(kExamples);
  app_.set_version_flag("--version", "gpubench " GPUBENCH_VERSION);
  app_.require_subcommand(0, 1);
  const auto formatter = std::make_shared<PlainFormatter>();
  formatter->column_width(26);
  app_.formatter(formatter);
  add_training();
  add_list();
  add_doctor();
  add_data();
  // Unknown words are collected, so that the message can name the nearest known one.
  app_.allow_extras();
  for (CLI::App* command : app_.get_subcommands(nullptr)) command->allow_extras();
}

void Cli::add_training() {
  PlanOptions& plan = train_.plan;
  add_list_option(app_, "--model", plan.models, "Models, a list (default cnn)")->type_name("NAME,...");
  add_list_option(app_, "--device", plan.devices, "auto, cpu, cuda, cuda:1, mps; a list (default auto)")
      ->type_name("NAME,...");
  add_list_option(app_, "--batch", plan.batch_sizes, "Batch sizes, a list (default 128)")->type_name("N,...");
  app_.add_option("--dataset", plan.dataset, "auto, synthetic or a dataset's name (default auto)")
      ->type_name("NAME");
  app_.add_option("--epochs", plan.epochs, "Epochs, warm-up included (default 5)")->type_name("N");
  app_.add_option("--warmup", plan.warmup_epochs, "First epochs that no statistic uses (default 1)")
      ->type_name("N");
  app_.add_option("--limit", plan.limit, "Samples used of each split (default 0: all)")->type_name("N");
  app_.add_option("--seed", plan.seed, "Seed of weights and shuffling (default 0)")->type_name("N");
  app_.add_option("--learning-rate", plan.learning_rate, "Instead of the model's own")->type_name("X");
  app_.add_option("--threads", train_.threads, "CPU threads (default: at most the cores available)")
      ->type_name("N");
  app_.add_option("-o,--output", train_.output, "Result file, folder, or - for stdout (default: in results/)")
      ->type_name("PATH");
  app_.add_flag("-q,--quiet", train_.is_quiet, "Neither progress nor notes on stderr");
  add_data_dir(app_, train_.data);
  add_base_url(app_, train_.data);
  app_.add_flag("--offline", train_.data.is_offline, "Never download");
}

void Cli::add_list() {
  CLI::App* command = app_.add_subcommand("list", "Models with parameters and cost, datasets, devices");
  command->add_option("what", list_.what, "models, datasets or devices (default: all)")->type_name("WHAT");
  command->add_flag("--json", list_.is_json, "As JSON");
  add_data_dir(*command, list_.data);
  command->footer("Examples:\n  gpubench list models\n  gpubench list --json");
}

void Cli::add_doctor() {
  CLI::App* command =
      app_.add_subcommand("doctor", "What this machine has, what is missing and how to get it");
  add_data_dir(*command, doctor_.data);
  command->footer("Example:\n  gpubench doctor");
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

Command Cli::command(const std::vector<std::string>& arguments) const {
  if (app_.got_subcommand("list")) return [options = list_] { return run_list(options); };
  if (app_.got_subcommand("doctor")) return [options = doctor_] { return run_doctor(options); };
  if (!app_.got_subcommand("data")) {
    return [options = train_, arguments] { return run_train(options, arguments); };
  }
  const CLI::App* data = app_.get_subcommand("data");
  if (data->got_subcommand("fetch")) return [options = data_] { return run_data_fetch(options); };
  if (data->got_subcommand("verify")) return [options = data_] { return run_data_verify(options); };
  throw Error(ErrorKind::kUsage, "data: say 'gpubench data fetch' or 'gpubench data verify'");
}

std::vector<std::string> Cli::values_of(const std::string& option) const {
  if (option == "--model") return models().names();
  if (option == "names") return datasets().names();
  if (option == "what") return {"models", "datasets", "devices"};
  std::vector<std::string> values;
  if (option == "--dataset") {
    values = datasets().names();
    values.insert(values.end(), {"auto", "synthetic"});
  }
  if (option == "--device") {
    values = usable_devices();
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
  const auto is_shown = [](const CLI::App* subcommand) { return !subcommand->get_group().empty(); };
  std::vector<std::string> names;
  for (const CLI::App* subcommand : command.get_subcommands(is_shown))
    names.push_back(subcommand->get_name());
  return names;
}

}  // namespace gpubench
