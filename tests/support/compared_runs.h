#pragma once
// Constructed runs to be compared with each other.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// A case that ended well: its first epoch takes `startup` longer than the four after it, which take about
/// `epoch` seconds each, within 2 %.
CaseRecord timed_case(const std::string& model, std::int64_t batch_size, double epoch, double startup);

/// One that ran out of memory.
CaseRecord oom_case(const std::string& model, std::int64_t batch_size);

/// A run of a machine called `host` with one device, which all cases get.
RunRecord run_on(const std::string& host, const std::string& device, std::vector<CaseRecord> cases);

/// Five processes of each case, which differ by 0.1 %.
RunRecord repeated(const RunRecord& run);

/// "laptop", slow and quick to start: mlp 32 and 128, cnn 128 and 1024, the last one out of memory.
RunRecord laptop_run();

/// "desk" with a GPU: the same cases, each ten times as fast but slower to start, and lstm.
RunRecord desk_run();

}  // namespace gpubench::test
