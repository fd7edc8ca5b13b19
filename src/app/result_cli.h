#pragma once
// The part of the command line that is about result files.

#include <optional>

#include <CLI/CLI.hpp>

#include "app/command_line.h"
#include "app/result_commands.h"

namespace gpubench {

/// Owns the options that the parser writes to, so it stays where it is.
class ResultCli {
 public:
  ResultCli() = default;
  ResultCli(const ResultCli&) = delete;
  ResultCli& operator=(const ResultCli&) = delete;

  /// Adds the subcommands to `app`.
  void add_to(CLI::App& app);

  /// The one that was parsed, if it is one of these.
  std::optional<Command> command(const CLI::App& app) const;

 private:
  void add_compare(CLI::App& app);
  void add_report(CLI::App& app);
  void add_show(CLI::App& app);
  void add_energy(CLI::App& app);

  CompareOptions compare_;
  ReportOptions report_;
  ShowOptions show_;
  EnergyImportOptions energy_;
};

}  // namespace gpubench
