#pragma once
// Options as plain data. Names and ranges are checked where they are used, before any work.

#include <optional>
#include <string>

#include "app/files/result_file.h"
#include "engine/plan/plan.h"
#include "gpubench/core/units.h"

namespace gpubench {

struct StoreOptions {
  std::string store;          ///< File; empty: see open_store().
  bool has_no_store = false;  ///< Keep nothing but the result file.
};

/// Options of all commands that run rows. The last ones are those of trainings alone.
struct RunOptions : ResultOutput, StoreOptions {
  int threads = 0;                    ///< Intra-op threads; at most 4096; 0 means see Engine::configure.
  std::optional<Seconds> timeout;     ///< Of a row; empty: the suite's, or none.
  std::optional<std::string> resume;  ///< Result file of the run to continue; empty: the latest unfinished.
  std::string data_dir;               ///< Empty: see data_directory().
  bool is_offline = false;            ///< Never download.
  std::string meter = "none";         ///< As open_meters reads it.
  std::string power_log;              ///< File for every reading of power; empty: none.
  std::optional<Seconds> budget;      ///< Of the run; empty: the suite's, or none.
  std::string memory_limit;  ///< Host memory of a case, as parse_byte_size reads it; empty: what is free.
};

/// `gpubench` without a subcommand, and `gpubench suite`: train and measure.
struct TrainOptions : RunOptions {
  TrainOptions() { meter = "auto"; }

  TrainGrid plan;
  std::string suite;  ///< Name or file. `plan` replaces values of each of its groups. Empty: `plan` alone.
  bool is_dry_run = false;  ///< Show cases and estimates only.
};

}  // namespace gpubench
