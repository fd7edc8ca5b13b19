#pragma once
// Rows in processes apart.

#include <memory>
#include <optional>

#include "engine/execution/executor.h"
#include "engine/isolation/process_factory.h"
#include "engine/isolation/shared_datasets.h"
#include "engine/machine/facts.h"

namespace gpubench {

/// Operations in a child process out of `workers`, which outlives the executor: one for all rows of a
/// repetition, and another where it has ended with one of them.
std::unique_ptr<OpExecutor> make_isolated_op_executor(const ProcessFactory& workers,
                                                      const ExecutionOptions& options);

/// Each case in a child process out of `workers`, which outlives the executor as `datasets` does.
std::unique_ptr<CaseExecutor> make_isolated_executor(const ProcessFactory& workers,
                                                     const SharedDatasets& datasets,
                                                     const ExecutionOptions& options);

/// Asks a worker for the facts, so that this process need not load LibTorch. Throws what gather_facts throws,
/// and a device Error where there is no answer for five minutes, or for `timeout` where that is longer.
EngineFacts ask_worker_for_facts(const ProcessFactory& workers, const FactsRequest& request,
                                 std::optional<Seconds> timeout);

}  // namespace gpubench
