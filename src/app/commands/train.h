#pragma once
// What the commands that train share: the program itself, `suite`, `calibrate`.

#include "app/command.h"
#include "app/train_options.h"

namespace gpubench {

/// Adds all options of a training; parsing writes to `options`, which outlives the parser.
void add_training_options(CommandParser& parser, TrainOptions& options);

/// Runs or resumes what the options ask for. `arguments` go into the result.
ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
