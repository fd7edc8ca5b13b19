#pragma once
// The CLI11 application: all options of all subcommands and the structs that they fill.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/command_line.h"
#include "app/options.h"
#include "app/result_cli.h"

namespace gpubench {

/// Owns the parser together with the options that it writes to. Not copyable: the parser points into it.
class Cli {
 public:
  /// `base`: what the training options are where the command line does not set them.
  explicit Cli(const PlanOptions& base = {});
  Cli(const Cli&) = delete;
  Cli& operator=(const Cli&) = delete;

  CLI::App& app() { return app_; }

  /// The training options as parsed.
  const TrainOptions& training() const { return train_; }

  /// The command that the parsed arguments ask for.
  Command command(const std::vector<std::string>& arguments) const;

  /// Known values of an option or positional ("--model", "names"), for completion; empty where there is no
  /// fixed set.
  std::vector<std::string> values_of(const std::string& option) const;

 private:
  Command doctor_command(const std::vector<std::string>& arguments) const;
  Command suite_command(const std::vector<std::string>& arguments) const;
  void add_suite();
  void add_list();
  void add_doctor();
  void add_peak();
  void add_calibrate();
  void add_data();

  CLI::App app_;
  TrainOptions train_;
  TrainOptions calibrate_;
  SuiteOptions suite_;
  ListOptions list_;
  DoctorOptions doctor_;
  PeakOptions peak_;
  OpsOptions ops_;
  DataCommandOptions data_;
  ResultCli results_;
  DocumentOptions document_;
};

/// Long names of the options of one command, with their dashes.
std::vector<std::string> option_names(const CLI::App& command);

/// Names of the subcommands.
std::vector<std::string> subcommand_names(const CLI::App& command);

}  // namespace gpubench
