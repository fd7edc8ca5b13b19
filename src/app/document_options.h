#pragma once
// The subcommands that work on result files.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/command_line.h"
#include "app/options.h"

namespace gpubench {

/// Adds `validate`, `migrate`, `merge` and `redact`. The main help names them in one line of its own.
void add_document_commands(CLI::App& app, DocumentOptions& options);

/// The one of them that was parsed; empty where none was.
Command document_command(const CLI::App& app, const DocumentOptions& options,
                         const std::vector<std::string>& arguments);

}  // namespace gpubench
