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

/// Where worker processes come from. With repetitions each begins with its own program, so that what differs
/// between runs, such as the places of libraries in memory, differs between them too.
std::unique_ptr<WorkerSource> make_workers(const std::string& allocator, bool is_repeated);

/// Throws a usage Error for an --isolate that there is not, or one that `timeout` does not go with.
void check_isolation(const std::string& isolate, const std::string& timeout);

/// Throws a usage Error for a value that --threads cannot have.
void check_threads(int threads);

/// What --isolate can be.
std::vector<std::string> isolation_names();

/// Checks what the engine need not be asked for. Throws a usage Error.
void check_options(const TrainOptions& options);

}  // namespace gpubench
