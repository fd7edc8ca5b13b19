#pragma once
// What the command line of a training says, as plain data. Names and ranges are checked where they are used,
// before any work.

#include <string>
#include <utility>
#include <vector>

#include "engine/plan/plan.h"

namespace gpubench {

/// Where datasets are and where they come from.
struct DataOptions {
  std::string data_dir;     ///< Empty: see data_directory().
  std::string base_url;     ///< Empty: the dataset's official place.
  bool is_offline = false;  ///< Never download.
};

/// How energy is measured.
struct EnergyOptions {
  std::string meter = "auto";  ///< As open_meters reads it.
  std::string
      window;  ///< The least time of the timed epochs together where a meter is read: a duration or "auto".
  std::string idle = "2s";  ///< Idle power is measured for so long before and after each case.
  std::string raw_log;      ///< Every reading goes to this file; empty: none.
};

/// What trainings and tables of operations have in common.
struct RunOptions {
  int threads = 0;                  ///< Intra-op threads; at most 4096; 0 means see Engine::configure.
  std::string allocator = "tuned";  ///< Of host memory: "tuned" or "system"; see Allocator.
  std::string isolate = "process";  ///< "process": one for each case, or repetition of a table; "none".
  std::string timeout;              ///< Of a row, as parse_duration reads it; empty: the suite's, or none.
  std::string resume;               ///< Journal, or its result, to continue.
  std::string output;               ///< File, folder or "-"; empty means a new file in results/.
  bool overwrites = false;          ///< The output replaces what is there already.
  bool is_shared = false;           ///< The result is written redacted; see redaction.h.
  bool is_quiet = false;            ///< Neither progress nor notes on stderr.
  std::string join;                 ///< How long the other ranks have to come; empty: a minute.
  std::vector<std::string> typed;   ///< The command line of this process, whatever is resumed.
};

/// `gpubench` without a subcommand, and `gpubench suite`: train and measure.
struct TrainOptions : RunOptions {
  PlanOptions plan;
  std::string
      suite;  ///< Name or file; empty: `plan` is all there is. Else `plan` is laid over each of its groups.
  DataOptions data;
  EnergyOptions energy;
  std::string budget;            ///< Of the run, as parse_duration reads it; empty: the suite's, or none.
  std::string memory_limit;      ///< Host memory of a case, as parse_byte_size reads it; empty: what is free.
  std::int64_t order_seed = 0;   ///< Of the order of repetitions; not negative.
  bool is_dry_run = false;       ///< Show cases and estimates only.
  bool finds_max_batch = false;  ///< Search for the largest batch that fits, instead of the plan's batches.
};

/// Options that lead out of a run's own files, with their values: where data is and comes from, what is read
/// and written beside the result. Only those that were given.
std::vector<std::pair<std::string, std::string>> outside_places(const TrainOptions& options);

}  // namespace gpubench
