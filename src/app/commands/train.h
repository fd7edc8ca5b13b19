#pragma once
// What the commands that train share: the program itself, `suite`.

#include <functional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/train_options.h"

namespace gpubench {

/// Returns the help text for the default of an option whose usual one is `usual`: "default cnn".
using DefaultText = std::function<std::string(const std::string& usual)>;

std::string usual_default(const std::string& usual);

/// Adds all options of a training; parsing writes to `options`, which outlives the parser. Its values are the
/// defaults that help tells, `default_text` says how.
void add_training_options(CommandParser& parser, TrainOptions& options,
                          const DefaultText& default_text = usual_default);

/// Runs or resumes what the options ask for. `arguments` go into the result.
ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
