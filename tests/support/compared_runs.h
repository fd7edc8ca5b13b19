#pragma once
// Constructed runs for comparisons.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// Returns a successful case with five epochs: the last four take `epoch` seconds each, within 2 %; the first
/// takes `startup` seconds longer.
CaseRecord timed_case(const std::string& model, std::int64_t batch_size, double epoch, double startup);

/// Returns a case that ran out of memory.
CaseRecord oom_case(const std::string& model, std::int64_t batch_size);

/// Returns a run of the machine `host`, with all cases on `device`.
RunRecord run_on(const std::string& host, const std::string& device, std::vector<CaseRecord> cases);

/// Returns the run with five repeats of each case, which differ by 0.1 %.
RunRecord repeated(const RunRecord& run);

/// Returns the run of a slow machine with a short start-up time: mlp 32 and 128, cnn 128 and 1024; the last
/// case is out of memory.
RunRecord laptop_run();

/// Returns the run of a machine with a GPU: the cases of laptop_run, ten times faster but with a longer
/// start-up time, and lstm.
RunRecord desk_run();

}  // namespace gpubench::test
