#pragma once
// Result files as people name them: files, folders, published figures.

#include <string>
#include <vector>

#include "compare/contender.h"
#include "pages/run/run_page.h"

namespace gpubench {

/// The result files that `inputs` mean, in that order: a file is itself, a folder the .json files in it by
/// name, "published:NAME" figures that come with the program. What lies in a folder and is no result of a run
/// is told on stderr and passed over. Throws a data Error for a file that is named and cannot be read, a
/// usage Error for an unknown publication or a folder without results.
std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs);

/// More files than these are compared without intervals, unless these are what they are read for.
inline constexpr std::size_t kMostWithIntervals = 64;

/// The same, reduced to what comparisons need as they are read, on all cores: for a thousand files.
std::vector<Contender> load_contenders(const std::vector<std::string>& inputs, bool needs_intervals);

}  // namespace gpubench
