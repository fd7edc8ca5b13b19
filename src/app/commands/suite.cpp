#include "engine/plan/suite.h"

#include <sstream>

#include "app/command_line.h"
#include "app/commands/common_options.h"
#include "app/commands/train.h"
#include "gpubench/core/io/messages.h"

namespace gpubench::suite_plugin {
namespace {

void add_options(CommandParser& parser) {
  parser.footer(
      "Examples:\n  gpubench suite quick\n  gpubench suite s0 --device cpu --max-samples 4096\n"
      "  gpubench suite mine.json --dry-run\n"
      "A suite is a named list of cases. Options override its values.");
  parser.subcommand("list", "List all suites").on_parsed([] {
    return parse_command_line({"list", "suites"})();
  });
  CommandParser show = parser.subcommand("show", "Print the JSON of a suite, as a template for your own");
  const auto shown = std::make_shared<std::string>();
  show.option("name", "NAME", "Name or file of a suite", *shown).required().offers(suite_names);
  show.on_parsed([shown] {
    std::istringstream text(load_suite(*shown).text);
    for (std::string line; std::getline(text, line);) print_line(line);
  });

  const auto options = std::make_shared<TrainOptions>();
  parser.option("suite", "NAME|FILE", "Name or file of a suite", options->suite).offers(suite_names);
  add_training_options(parser, *options, [](const std::string&) { return "the suite's"; });
  parser.on_parsed([options] {
    require(!options->suite.empty() || options->resume,
            "suite: no name; give one, as in 'gpubench suite quick' (list: 'gpubench suite list')");
    return run_train(*options);
  });
}

}  // namespace

CommandEntry entry_suite() {
  return {"suite", "Run a suite (named list of cases), or list suites", add_options};
}

}  // namespace gpubench::suite_plugin
