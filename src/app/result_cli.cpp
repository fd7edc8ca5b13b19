#include "app/result_cli.h"

#include "gpubench/core/nearest.h"
#include "gpubench/report_writer.h"

namespace gpubench {
namespace {

/// Files, and what they are held against.
template <class Options>
void add_inputs(CLI::App& command, Options& options) {
  command
      .add_option("files", options.inputs,
                  "Result files, folders of them, published:NAME; the first is the baseline")
      ->type_name("FILE ...");
  command
      .add_option("--against", options.against, "The baseline instead: a file, or published:rtx-2070-super")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command.add_flag("--force", options.is_forced, "Show figures of unlike work too");
}

void add_format(CLI::App& command, std::string& format) {
  command.add_option("--format", format, join(report_formats().names()) + ", to stdout (txt)")
      ->type_name("NAME");
}

/// What energy is worth is the reader's to say: no price, no costs.
void add_price(CLI::App& command, std::string& price) {
  command.add_option("--price-kwh", price, "What a kWh costs, in any currency: energy then has a cost")
      ->type_name("0.30");
}

}  // namespace

void ResultCli::add_to(CLI::App& app) {
  add_compare(app);
  add_report(app);
  add_show(app);
  add_energy(app);
}

void ResultCli::add_compare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compare", "Which machine is faster, by how much, and whether it compares");
  add_inputs(*command, compare_);
  add_format(*command, compare_.format);
  add_price(*command, compare_.price);
  command->add_option("--gate", compare_.gate, "For CI: whether anything is slower by more than this")
      ->type_name("5%");
  command
      ->add_option("--figures", compare_.figures,
                   "Of runs or operations, with --format tsv or csv: a row a figure, averages too")
      ->type_name("KIND");
  command->footer(
      "Examples:\n  gpubench compare laptop.json workstation.json\n"
      "  gpubench compare run.json --against published:rtx-2070-super\n"
      "  gpubench compare results/ --format csv > all.csv\n"
      "  gpubench compare results/*.json --figures runs --format tsv > figures.tsv\n"
      "  gpubench compare ops.json --against published:m3-max/mps\n"
      "  gpubench compare before.json after.json --gate 5%\n"
      "Exit codes with --gate: 0 no regression, 2 usage, 3 a file that cannot be read, 6 regression, 7 "
      "inconclusive, 8 incomparable");
}

void ResultCli::add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report", "A page with tables and charts of one or more results");
  add_inputs(*command, report_);
  command
      ->add_option("-o,--output", report_.output, "File; .html, .md, .txt, .csv, .tsv or .svg (report.html)")
      ->type_name("PATH");
  add_price(*command, report_.price);
  command->add_flag("-q,--quiet", report_.is_quiet, "Do not tell where the report is");
  command->footer(
      "Examples:\n  gpubench report run.json\n"
      "  gpubench report laptop.json workstation.json -o report.html");
}

void ResultCli::add_show(CLI::App& app) {
  CLI::App* command = app.add_subcommand("show", "What a result file says, as text with charts");
  command->add_option("file", show_.file, "Result file")->type_name("FILE")->required();
  add_format(*command, show_.format);
  add_price(*command, show_.price);
  command->footer(
      "Examples:\n  gpubench show results/run.json\n  gpubench show run.json --format md > run.md");
}

void ResultCli::add_energy(CLI::App& app) {
  CLI::App* energy = app.add_subcommand("energy", "Energy from logs of power that other programs recorded");
  energy->group("");
  energy->require_subcommand(0, 1);
  CLI::App* command = energy->add_subcommand("import", "Add what a log says to the cases of a result");
  command->allow_extras();
  command->add_option("file", energy_.result, "Result file")->type_name("RESULT")->required();
  command->add_option("log", energy_.log, "Log of power that was recorded during the run")
      ->type_name("LOG")
      ->required();
  const std::pair<const char*, std::pair<std::string*, const char*>> texts[] = {
      {"-o,--output", {&energy_.output, "File, or folder for one of the same name (default: stdout)"}},
      {"--format", {&energy_.format, "Of the log: auto, nvidia-smi, powermetrics, gpubench (auto)"}},
      {"--clock-offset", {&energy_.clock_offset, "By how much the log's clock was behind: 2s, -1.5s"}},
      {"--time-zone", {&energy_.time_zone, "Of stamps without one: +01:00, Z (this machine's)"}},
      {"--energy-method", {&energy_.method, "window: exact; spike-q30: as published (window)"}},
      {"--part", {&energy_.part, "Only this part of the log, such as 'GPU 0 NVIDIA H200'"}},
      {"--scope", {&energy_.scope, "What the log measured: gpu-board, gpu-rail, soc, system, ..."}},
      {"--device", {&energy_.device, "Whose work the log measured: cuda:1, mps, cpu"}}};
  for (const auto& [name, target] : texts) {
    command->add_option(name, *target.first, target.second)->allow_extra_args(false)->type_name("TEXT");
  }
  command->footer(
      "Examples:\n  gpubench energy import run.json power.csv -o run-with-energy.json\n"
      "  gpubench energy import run.json powermetrics.txt --clock-offset -2.5s > new.json");
}

std::optional<Command> ResultCli::command(const CLI::App& app) const {
  if (app.got_subcommand("compare")) return [options = compare_] { return run_compare(options); };
  if (app.got_subcommand("report")) return [options = report_] { return run_report(options); };
  if (app.got_subcommand("show")) return [options = show_] { return run_show(options); };
  if (!app.got_subcommand("energy")) return std::nullopt;
  if (app.get_subcommand("energy")->got_subcommand("import")) {
    return [options = energy_] { return run_energy_import(options); };
  }
  throw Error(ErrorKind::kUsage, "energy: say 'gpubench energy import RESULT LOG'");
}

}  // namespace gpubench
