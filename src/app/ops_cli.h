#pragma once
// The options of `gpubench ops`.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options.h"

namespace gpubench {

void add_ops_command(CLI::App& app, OpsOptions& options);

/// Known values of those of its options that other commands lack or mean otherwise, for completion; empty
/// for any other option.
std::vector<std::string> ops_values_of(const std::string& option);

}  // namespace gpubench
