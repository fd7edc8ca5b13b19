#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/train_run.h"

namespace gpubench::train_plugin {
namespace {

/// The first screen of help has room for what most people need.
void add_program_options(CommandParser& parser) {
  const CommandLine& line = parser.line();
  add_training_options(parser, *line.training);
  parser.on_parsed(
      [options = line.training, arguments = line.arguments] { return run_train(*options, arguments); });
}

}  // namespace

CommandEntry entry_train() { return {"train", "", CommandKind::kProgram, add_program_options}; }

}  // namespace gpubench::train_plugin
