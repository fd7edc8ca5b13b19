#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/files/result_file.h"
#include "app/train_options.h"
#include "compare/gate.h"
#include "engine/api/engine.h"
#include "gpubench/record/parameter.h"

namespace gpubench {

/// Returns "auto" and all power meters.
std::vector<std::string> meter_names();
/// Returns "auto" and the devices of this machine. Loads the engine.
std::vector<std::string> device_names();
/// Returns the resolved devices, each once.
std::vector<std::string> resolve_devices(const Engine& engine, const std::vector<std::string>& wanted);

void add_quiet(CommandParser& parser, bool& is_quiet);
void add_data_dir(CommandParser& parser, std::string& data_dir);

/// Adds --store; see find_store().
void add_store_file(CommandParser& parser, std::string& file);
void add_store(CommandParser& parser, StoreOptions& options);

void add_output(CommandParser& parser, const std::string& help, std::string& output, bool& overwrites);

/// Options of commands that measure devices rather than workloads.
struct DeviceOptions : ResultOutput {
  std::vector<std::string> devices{"auto"};
  int threads = 0;  ///< See RunOptions::threads.
};

/// Adds --device, --threads and the options of the result.
void add_device_options(CommandParser& parser, DeviceOptions& options);

/// Adds --threads, --timeout, --resume and the options of the store and the result. `row` is "case" or "row".
void add_run_options(CommandParser& parser, RunOptions& options, const std::string& row);
/// Returns the text that shows the default value `usual` in the help: "default cnn".
using DefaultText = std::function<std::string(const std::string& usual)>;

std::string usual_default(const std::string& usual);

template <class Point>
void add_parameters(CommandParser& parser, const ParameterTable<Point>& parameters, Grid<Point>& grid,
                    const DefaultText& default_text = usual_default);

/// Adds all options of a training. `options` holds the defaults and must outlive the parser.
void add_training_options(CommandParser& parser, TrainOptions& options,
                          const DefaultText& default_text = usual_default);

struct ComparedInputs {
  std::vector<std::string> files;  ///< Arguments of load_runs().
  std::vector<std::string>
      baseline;            ///< Arguments of load_runs(), or "history". Empty: the first of `files`.
  std::string store;       ///< Store of earlier runs; empty: see find_store().
  bool is_forced = false;  ///< Compare different workloads too.
  std::optional<double> equal_within;  ///< Equivalence margin, for compare().
  std::optional<double> price_kwh;     ///< Price of a kWh; empty: no energy costs.
  std::vector<std::string> metrics;    ///< Keys or classes of the metrics to show; empty: the main one.
  std::vector<std::string> prices;     ///< Prices per hour of machines: "NAME=AMOUNT".

  /// Returns true if the baseline is this machine's earlier runs.
  bool is_of_history() const;
  /// Returns the inputs to load: the baseline, unless that is the history, then the other files.
  std::vector<std::string> all() const;
};

void add_inputs(CommandParser& parser, ComparedInputs& inputs);

void add_equal_within(CommandParser& parser, std::optional<double>& margin, const std::string& help);
/// Limits of a gate, and the settings in which the candidates may differ.
struct GateOptions {
  std::vector<GateLimit> limits{};
  std::vector<std::string> allowed{};
};
void add_gate(CommandParser& parser, GateOptions& options, const std::string& help);
/// Throws a usage Error if a gate and a margin are given, or --allow without a gate.
void check_gate(const GateOptions& options, const std::optional<double>& margin);

ExitCode exit_code(GateVerdict answer);

void add_format(CommandParser& parser, std::string& format);
void add_price(CommandParser& parser, std::optional<double>& price);

}  // namespace gpubench
