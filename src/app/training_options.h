#pragma once
// The options that train, on the program itself and on `gpubench suite`, and those about data that others
// share.

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace gpubench {

/// Adds all of them to `command`; parsing writes to `options`, which outlives it.
void add_training_options(CLI::App& command, TrainOptions& options);

void add_data_dir(CLI::App& command, DataOptions& options);
void add_base_url(CLI::App& command, DataOptions& options);

}  // namespace gpubench
