#pragma once
// Continues a run that has not finished, by its record in the store or by its result file alone.

#include <filesystem>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/train_options.h"
#include "engine/plan/work.h"
#include "gpubench/record/run_record.h"
#include "store/optional_store.h"

namespace gpubench {

/// A run to continue.
struct FormerRun {
  RunRecord document;  ///< With a row for each of its plan and each added repetition.
  std::string output;  ///< Absolute path of its result file.
  bool is_stored;      ///< False for a file that may come from elsewhere.
};

/// Returns the run of `options.resume`: that of a result file, or the latest that has not finished. Where
/// both know the run, the store or the file, whichever has more finished rows, counts. Throws a usage Error
/// if there is none, and a data Error for a file that is no result of a run.
FormerRun find_former(const RunOptions& options, OptionalStore& store);

/// Returns the command of the run, with the options of `arguments` laid over those of its own command line. A
/// run that is in no store may come from elsewhere: options of it that lead to other files are left out.
Command continued_command(const RunOptions& options, const std::vector<std::string>& arguments);

/// Throws a usage Error if the result file has a run that was broken off, or if another process with this
/// store will write one. Any other file is fine.
void refuse_unfinished(const std::filesystem::path& result, OptionalStore& store);

/// Appends the repetitions that the run has beyond `planned`.
void add_repetitions(const RunRecord& document, std::vector<Work>& planned);

/// Returns the differences in rows, machine, libraries or data that forbid continuing; the former value
/// first.
std::vector<std::string> differences(const RunRecord& former, const RunRecord& now,
                                     const std::vector<Result>& planned);

}  // namespace gpubench
