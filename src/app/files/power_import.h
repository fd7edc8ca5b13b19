#pragma once
// Energy of a run from a power log that another program recorded meanwhile.

#include <optional>
#include <string>

#include "gpubench/record/run_record.h"
#include "power/log/power_log.h"
#include "power/trace/energy_account.h"

namespace gpubench {

struct PowerImportOptions {
  std::string result;               ///< Name of the result file, for messages.
  std::string log;                  ///< Name of the log, for messages and notes.
  std::string part;                 ///< Part of the log to import; empty: all.
  std::optional<PowerScope> scope;  ///< Replaces the log's.
  std::string device;               ///< Replaces the log's; empty: the log's.
};

/// Adds an energy record for each trace to each case it covers, replacing one of the same meter and part.
/// Prints a summary to stderr. Throws a usage Error for an unknown part, a data Error if no case is covered.
void import_power(RunRecord& run, PowerLog log, const PowerImportOptions& options, EnergyMethod method);

}  // namespace gpubench
