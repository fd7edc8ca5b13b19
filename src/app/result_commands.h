#pragma once
// The subcommands that read result files. Each prints its data to stdout and all else to stderr, and throws
// an Error for what ends it.

#include <optional>
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
  std::string price;                 ///< Of a kWh, as parse_price() takes it; empty: no costs.
  std::string figures;     ///< "runs" or "operations": a row a figure of these; empty: the comparison.
  bool is_forced = false;  ///< Shows what is refused.
};

/// `gpubench report FILE... -o OUT`.
struct ReportOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> against;
  std::string output = "report.html";  ///< What it ends in names the format.
  std::string price;                   ///< As of CompareOptions.
  bool is_forced = false;
  bool is_quiet = false;
};

/// `gpubench show FILE`.
struct ShowOptions {
  std::string file;
  std::string format = "txt";
  std::string price;  ///< As of CompareOptions.
};

/// `gpubench energy import RESULT LOG`.
struct EnergyImportOptions {
  std::string result;
  std::string log;
  std::string output;             ///< File, folder or "-"; empty means stdout.
  std::string format = "auto";    ///< Of the log: "auto" or a name of power_log_formats().
  std::string clock_offset;       ///< By how much the log's clock was behind: a duration, with a sign or not.
  std::string time_zone;          ///< Of stamps that tell none, as parse_utc_offset reads it.
  std::string method = "window";  ///< "window" or "spike-q30".
  std::string part;               ///< Which of the log's; empty: all.
  std::string scope;              ///< Instead of what the log says; empty: that.
  std::string device;             ///< Likewise.
};

/// That of a kWh; none where the option was not given.
std::optional<double> price_of(const std::string& price);

ExitCode run_compare(const CompareOptions& options);
ExitCode run_report(const ReportOptions& options);
ExitCode run_show(const ShowOptions& options);
ExitCode run_energy_import(const EnergyImportOptions& options);

}  // namespace gpubench
