#pragma once
// Rows of several ranks: runs rank 0's part of each, and has the other ranks run theirs.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/ranks/process_group.h"

namespace gpubench {

/// Removes the energy of GPUs that no rank of a machine used: its `ranks` used `device` and the ones after
/// it.
void remove_idle_gpus(std::vector<EnergyRecord>& energy, const std::string& device, std::int64_t ranks);

/// Runs a case's rank 0 by `inner`. The row is rank 0's, with the energy and warnings of the other ranks and
/// `warnings`; if a rank fails, the row has its status and its name. Cases of a single rank are left to
/// `inner`. `timeout` is that of a row. `group` outlives the executor.
std::unique_ptr<CaseExecutor> make_group_executor(std::unique_ptr<CaseExecutor> inner, ProcessGroup& group,
                                                  std::vector<Warning> warnings,
                                                  std::optional<Seconds> timeout);

/// Runs collectives, all of which have several ranks.
std::unique_ptr<OpExecutor> make_group_op_executor(std::unique_ptr<OpExecutor> inner, ProcessGroup& group,
                                                   std::optional<Seconds> timeout);

}  // namespace gpubench
