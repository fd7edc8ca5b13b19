#pragma once
// From a command line to the cases to run: suite, engine's facts, plan.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/train_options.h"
#include "engine/isolation/worker_source.h"
#include "engine/machine/facts.h"

namespace gpubench {

/// All that is decided before data is read. Cases point into `models`, so it stays where it is.
struct PlannedRun {
  PlannedRun(const TrainOptions& given, const std::vector<std::string>& arguments);
  PlannedRun(const PlannedRun&) = delete;
  PlannedRun& operator=(const PlannedRun&) = delete;

  TrainOptions options;
  std::vector<std::string> arguments;
  std::optional<Seconds> timeout;
  std::optional<Seconds> budget;
  std::string suite;  ///< Name of the suite; empty where there is none.
  EngineFacts facts;
  Catalog<ModelEntry> models;
  std::vector<Case> cases;
  std::unique_ptr<WorkerSource> workers;  ///< Null where all runs in this process.

  bool is_isolated() const { return options.isolate == "process"; }

  /// The engine in this process, with the allocator that was asked for.
  const Engine& engine() const;
};

/// Throws a usage Error for a value that --threads cannot have.
void check_threads(int threads);

/// What --isolate can be.
std::vector<std::string> isolation_names();

/// Checks what the engine need not be asked for. Throws a usage Error.
void check_options(const TrainOptions& options);

}  // namespace gpubench
