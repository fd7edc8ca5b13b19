#pragma once
// What the command line says, as plain data. Names and ranges are checked where they are used, before any
// work.

#include <string>
#include <vector>

#include "gpubench/engine/plan.h"

namespace gpubench {

/// Where datasets are and where they come from.
struct DataOptions {
  std::string data_dir;     ///< Empty: see data_directory().
  std::string base_url;     ///< Empty: the dataset's official place.
  bool is_offline = false;  ///< Never download.
};

/// `gpubench` without a subcommand: train and measure.
struct TrainOptions {
  PlanOptions plan;
  DataOptions data;
  int threads = 0;        ///< Intra-op threads; at most 4096; 0 means see set_threads().
  std::string output;     ///< File, folder or "-"; empty means a new file in results/.
  bool is_quiet = false;  ///< Neither progress nor notes on stderr.
};

/// `gpubench list [what]`.
struct ListOptions {
  std::string what;  ///< "models", "datasets", "devices", or empty for all.
  bool is_json = false;
  DataOptions data;
};

/// `gpubench doctor`.
struct DoctorOptions {
  DataOptions data;
};

/// `gpubench data fetch|verify [names]`.
struct DataCommandOptions {
  std::vector<std::string> names;  ///< Empty means all.
  DataOptions data;
  bool is_quiet = false;
};

}  // namespace gpubench
