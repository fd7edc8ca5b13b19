#pragma once
// Energy from a log into the cases that ran while it was recorded.

#include <string>
#include <vector>

#include "gpubench/power/power_log.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// What became of the cases.
struct EnergyImport {
  std::size_t cases = 0;
  std::size_t with_energy = 0;
  std::size_t outside = 0;            ///< Ran while the log was not recorded.
  std::size_t without_times = 0;      ///< Do not tell when their epochs were.
  std::vector<std::string> refusals;  ///< Why there is no figure for a case that the log reaches.
};

/// Which files are spoken of.
struct ImportFiles {
  std::string result;
  std::string log;
};

/// Adds a record for each trace of `log` to each case that it reaches; one of the same meter and part gives
/// way. Throws a data Error where no case is reached.
EnergyImport import_energy(RunRecord& run, const PowerLog& log, const ImportFiles& files,
                           EnergyMethod method);

/// Keeps `part` alone where it is not empty, and lets `scope` and `device` replace what the log says where
/// they are set. Throws a usage Error for an unknown part.
void choose_traces(PowerLog& log, const std::string& part, const std::string& scope,
                   const std::string& device);

/// A log with one board whose device it does not tell, of a run with one device: it is that one.
void name_sole_device(PowerLog& log, const RunRecord& run);

}  // namespace gpubench
