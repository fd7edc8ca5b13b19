#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/train_run.h"

namespace gpubench::train_plugin {
namespace {

void add_options(CommandParser& parser) {
  const CommandLine& line = parser.line();
  add_training_options(parser, *line.training);
  parser.footer(
      "Examples:\n  gpubench --device mps --model cnn --batch 1024\n"
      "  gpubench --model mlp,cnn --device cpu,cuda --repeat 5\n"
      "Lists make a row for each combination. --batch max finds the largest that fits.\n"
      "All options: gpubench train --help-all\n"
      "Exit code 5: a case failed");
  parser.on_parsed(
      [options = line.training, arguments = line.arguments] { return run_train(*options, arguments); });
}

}  // namespace

CommandEntry entry_train() {
  return {"train", "Train networks; measure time and energy (default)", add_options};
}

}  // namespace gpubench::train_plugin
