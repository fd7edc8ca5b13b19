#include "engine/plan/suite.h"

#include <sstream>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/train_run.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/text_table.h"

namespace gpubench::suite_plugin {
namespace {

ExitCode list() {
  TextTable table({{"suite"}, {"what"}, {"from"}});
  std::vector<std::string> faults;
  for (const Suite& suite : all_suites(faults)) table.add_row({suite.name, suite.summary, suite.origin});
  print(table.to_string());
  for (const std::string& fault : faults) log_info(fault + "; passed over");
  return ExitCode::kOk;
}

ExitCode run(const TrainOptions& options, const std::vector<std::string>& arguments) {
  if (!options.suite.empty() || !options.resume.empty()) return run_train(options, arguments);
  throw Error(ErrorKind::kUsage, "suite: name one, as in 'gpubench suite quick'; see 'gpubench suite list'");
}

void add_options(CommandParser& parser) {
  parser.footer(
      "Examples:\n  gpubench suite quick\n  gpubench suite s0 --device cpu --max-samples 4096\n"
      "  gpubench suite mine.json --dry-run\nOptions replace what the suite says in each of its groups. "
      "What it leaves out has the default of 'gpubench --help'.");
  parser.subcommand("list", "Names and summaries").on_parsed(list);
  CommandParser show = parser.subcommand("show", "The text of a suite, to start one's own from");
  const auto shown = std::make_shared<std::string>();
  show.option("name", "NAME", "Name or file", *shown).required().offers(suite_names);
  show.on_parsed([shown] {
    std::istringstream text(load_suite(*shown).text);
    for (std::string line; std::getline(text, line);) print_line(line);
    return ExitCode::kOk;
  });

  const CommandLine& line = parser.line();
  parser.option("suite", "NAME|FILE", "Name of a suite, or its file", line.training->suite)
      .offers(suite_names);
  add_training_options(parser, *line.training, [](const std::string&) { return "default: the suite's"; });
  parser.on_parsed(
      [options = line.training, arguments = line.arguments] { return run(*options, arguments); });
}

}  // namespace

CommandEntry entry_suite() {
  return {"suite", "Run a named plan; list or show the plans there are", CommandKind::kListed, add_options};
}

}  // namespace gpubench::suite_plugin
