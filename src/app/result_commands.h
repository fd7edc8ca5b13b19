#pragma once
// The subcommands that read result files. Each prints its data to stdout and all else to stderr, and throws
// an Error for what ends it.

#include <string>
#include <vector>

#include "gpubench/core/error.h"

namespace gpubench {

/// `gpubench compare FILE...`.
struct CompareOptions {
  std::vector<std::string> inputs;   ///< As load_runs() takes them.
  std::vector<std::string> against;  ///< Likewise; the baseline. Empty: the first of `inputs`.
  std::string format = "txt";        ///< Name of a report format.
  std::string gate;                  ///< A threshold as parse_percent() takes it; empty: no gate.
  bool is_forced = false;            ///< Shows what is refused.
};

/// `gpubench report FILE... -o OUT`.
struct ReportOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> against;
  std::string output = "report.html";  ///< What it ends in names the format.
  bool is_forced = false;
  bool is_quiet = false;
};

/// `gpubench show FILE`.
struct ShowOptions {
  std::string file;
  std::string format = "txt";
};

ExitCode run_compare(const CompareOptions& options);
ExitCode run_report(const ReportOptions& options);
ExitCode run_show(const ShowOptions& options);

}  // namespace gpubench
