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

}  // namespace

void ResultCli::add_to(CLI::App& app) {
  add_compare(app);
  add_report(app);
  add_show(app);
}

void ResultCli::add_compare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compare", "Which machine is faster, by how much, and whether it compares");
  add_inputs(*command, compare_);
  add_format(*command, compare_.format);
  command->add_option("--gate", compare_.gate, "For CI: whether anything is slower by more than this")
      ->type_name("5%");
  command->footer(
      "Examples:\n  gpubench compare laptop.json workstation.json\n"
      "  gpubench compare run.json --against published:rtx-2070-super\n"
      "  gpubench compare results/ --format csv > all.csv\n"
      "  gpubench compare before.json after.json --gate 5%\n"
      "Exit codes with --gate: 0 no regression, 1 regression, 2 usage, 3 incomparable or invalid, 4 "
      "inconclusive");
}

void ResultCli::add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report", "A page with tables and charts of one or more results");
  add_inputs(*command, report_);
  command
      ->add_option("-o,--output", report_.output, "File; .html, .md, .txt, .csv, .tsv or .svg (report.html)")
      ->type_name("PATH");
  command->add_flag("-q,--quiet", report_.is_quiet, "Do not tell where the report is");
  command->footer(
      "Examples:\n  gpubench report run.json\n"
      "  gpubench report laptop.json workstation.json -o report.html");
}

void ResultCli::add_show(CLI::App& app) {
  CLI::App* command = app.add_subcommand("show", "What a result file says, as text with charts");
  command->add_option("file", show_.file, "Result file")->type_name("FILE")->required();
  add_format(*command, show_.format);
  command->footer(
      "Examples:\n  gpubench show results/run.json\n  gpubench show run.json --format md > run.md");
}

std::optional<Command> ResultCli::command(const CLI::App& app) const {
  if (app.got_subcommand("compare")) return [options = compare_] { return run_compare(options); };
  if (app.got_subcommand("report")) return [options = report_] { return run_report(options); };
  if (app.got_subcommand("show")) return [options = show_] { return run_show(options); };
  return std::nullopt;
}

}  // namespace gpubench
