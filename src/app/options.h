#pragma once
// What the command line says, as plain data. Names and ranges are checked where they are used, before any
// work.

#include <string>
#include <vector>

#include "gpubench/engine/op_plan.h"
#include "gpubench/engine/plan.h"

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

/// `gpubench` without a subcommand, and `gpubench suite`: train and measure.
struct TrainOptions {
  PlanOptions plan;
  std::string
      suite;  ///< Name or file; empty: `plan` is all there is. Else `plan` is laid over each of its groups.
  DataOptions data;
  EnergyOptions energy;
  int threads = 0;                  ///< Intra-op threads; at most 4096; 0 means see Engine::configure.
  std::string allocator = "tuned";  ///< Of host memory: "tuned" or "system"; see Allocator.
  std::string isolate = "process";  ///< "process": one for each case; "none".
  std::string timeout;              ///< Of a case, as parse_duration reads it; empty: the suite's, or none.
  std::string budget;               ///< Of the run; likewise.
  std::string memory_limit;      ///< Host memory of a case, as parse_byte_size reads it; empty: what is free.
  std::int64_t order_seed = 0;   ///< Of the order of repetitions; not negative.
  bool is_dry_run = false;       ///< Show cases and estimates only.
  bool finds_max_batch = false;  ///< Search for the largest batch that fits, instead of the plan's batches.
  std::string resume;            ///< Journal, or its result, to continue.
  std::string output;            ///< File, folder or "-"; empty means a new file in results/.
  bool is_shared = false;        ///< The result is written redacted; see redaction.h.
  bool is_quiet = false;         ///< Neither progress nor notes on stderr.
};

/// `gpubench suite list|show`.
struct SuiteOptions {
  std::string name;  ///< For `show`.
};

/// `gpubench list [what]`.
struct ListOptions {
  std::string what;  ///< "models", "datasets", "devices", "meters", "ops", or empty for all.
  bool is_json = false;
  DataOptions data;
};

/// `gpubench doctor`.
struct DoctorOptions {
  DataOptions data;
  bool has_power = false;       ///< Load a device and look at the power meters, instead of all else.
  std::string device = "auto";  ///< Which, for that.
  std::string meter = "auto";   ///< As in EnergyOptions.
};

/// `gpubench peak`.
struct PeakOptions {
  std::vector<std::string> devices{"auto"};
  int threads = 0;        ///< As in TrainOptions.
  std::string output;     ///< File, folder or "-"; empty means a new file in results/.
  bool is_quick = false;  ///< A trial of about a second instead of the full measurement.
  bool is_quiet = false;  ///< No notes on stderr.
};

/// `gpubench ops`.
struct OpsOptions {
  OpPlanOptions plan;                ///< All but its effort, which the next three make.
  std::string protocol = "default";  ///< "default", or "s4": the second of two calls.
  std::string sample;                ///< Least time of a sample, as parse_duration reads it; empty: 5 ms.
  std::string time;                  ///< Of a row; empty: 0.5 s, of the small set 0.2 s.
  std::vector<std::string> devices{"auto"};
  std::string against;  ///< "published:NAME" or a file; empty: no comparison.
  int threads = 0;      ///< As in TrainOptions.
  /// Operations allocate their results, and what users of LibTorch do so with is the system's.
  std::string allocator = "system";
  std::string output;     ///< File, folder or "-"; empty means a new file in results/.
  bool is_quiet = false;  ///< Neither progress nor notes on stderr.
};

/// `gpubench validate|migrate|merge|redact FILE...`.
struct DocumentOptions {
  std::vector<std::string> files;  ///< One for `migrate` and `redact`.
  std::string output;              ///< File, folder or "-"; empty means stdout.
};

/// `gpubench data fetch|verify [names]`.
struct DataCommandOptions {
  std::vector<std::string> names;  ///< Empty means all.
  DataOptions data;
  bool is_quiet = false;
};

}  // namespace gpubench
