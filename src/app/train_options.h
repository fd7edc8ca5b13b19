#pragma once
// Options as plain data. Their users check names and ranges before any work.

#include <optional>
#include <string>

#include "app/files/result_file.h"
#include "engine/plan/plan.h"
#include "gpubench/core/units.h"

namespace gpubench {

struct StoreOptions {
  std::string store;          ///< File; empty: see open_store().
  bool has_no_store = false;  ///< Use no store; write the result file only.
};

/// Options of all commands that run rows. Members from `data_dir` on apply to training only.
struct RunOptions : ResultOutput, StoreOptions {
  int threads = 0;                    ///< Intra-op threads, at most 4096; 0: chosen by Engine::configure().
  std::optional<Seconds> timeout;     ///< Time limit of a row; empty: that of the suite, if any.
  std::optional<std::string> resume;  ///< Result file of the run to resume; "": the latest unfinished run.
  bool is_continued = false;          ///< `arguments` begin with those of the run to resume.
  std::string data_dir;               ///< Empty: see data_directory().
  bool is_offline = false;            ///< Never download.
  std::string meter = "none";         ///< Argument of open_meters().
  std::string power_log;              ///< File for every power reading; empty: none.
  std::optional<Seconds> budget;      ///< Time limit of the run; empty: that of the suite, if any.
  std::string memory_limit;           ///< Host memory of a case, "8G"; empty: the free memory.
};

/// Options of `gpubench train` and `gpubench suite`.
struct TrainOptions : RunOptions {
  TrainOptions() { meter = "auto"; }

  TrainGrid plan;
  std::string suite;        ///< Name or file; `plan` overrides its groups. Empty: no suite.
  bool is_dry_run = false;  ///< Print cases and estimated times only.
};

}  // namespace gpubench
