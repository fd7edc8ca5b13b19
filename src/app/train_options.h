#pragma once
// Options as plain data. Names and ranges are checked where they are used, before any work.

#include <optional>
#include <string>
#include <vector>

#include "app/files/result_file.h"
#include "engine/plan/plan.h"
#include "gpubench/core/units.h"

namespace gpubench {

struct DataOptions {
  std::string data_dir;     ///< Empty: see data_directory().
  bool is_offline = false;  ///< Never download.
};

struct EnergyOptions {
  std::string meter = "auto";  ///< As open_meters reads it.
  std::string raw_log;         ///< File for every reading; empty: none.
};

struct RunOptions : ResultOutput {
  int threads = 0;                 ///< Intra-op threads; at most 4096; 0 means see Engine::configure.
  std::optional<Seconds> timeout;  ///< Of a row; empty: the suite's, or none.
  std::string resume;              ///< Journal, or its result, to continue.
  std::vector<std::string> typed;  ///< Command line for ranks that this process starts.
};

/// `gpubench` without a subcommand, and `gpubench suite`: train and measure.
struct TrainOptions : RunOptions {
  TrainGrid plan;
  std::string suite;  ///< Name or file. `plan` replaces values of each of its groups. Empty: `plan` alone.
  DataOptions data;
  EnergyOptions energy;
  std::optional<Seconds> budget;  ///< Of the run; empty: the suite's, or none.
  std::string memory_limit;  ///< Host memory of a case, as parse_byte_size reads it; empty: what is free.
  bool is_dry_run = false;   ///< Show cases and estimates only.
};

}  // namespace gpubench
