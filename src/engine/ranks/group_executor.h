#pragma once
// Cases of several ranks: rank 0's part of each, and what becomes of the others'.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/ranks/crew.h"

namespace gpubench {

/// Leaves out what was measured of GPUs that no rank of a machine had: of its `ranks` the first had `device`,
/// and the next ones the next.
void leave_out_idle_gpus(std::vector<EnergyRecord>& energy, const std::string& device, std::int64_t ranks);

/// Runs a case's rank 0 by `inner` and has the crew's members run the others. The row is rank 0's where all
/// ends well, with what the others' meters measured and `warnings`; else it has the status of the rank that
/// failed first, by name. A case of a single rank is left to `inner`. `timeout` is that of a row. `crew`
/// outlives it.
std::unique_ptr<CaseExecutor> make_group_executor(std::unique_ptr<CaseExecutor> inner, Crew& crew,
                                                  std::vector<Warning> warnings,
                                                  std::optional<Seconds> timeout);

/// The same of collectives, whose rows are all of several ranks.
std::unique_ptr<OpExecutor> make_group_op_executor(std::unique_ptr<OpExecutor> inner, Crew& crew,
                                                   std::optional<Seconds> timeout);

}  // namespace gpubench
