#pragma once
// Rows in processes of their own.

#include <memory>
#include <optional>

#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/shared_datasets.h"
#include "engine/machine/facts.h"

namespace gpubench {

/// Runs operations in a child process from `workers`, which outlives the executor: one for all rows of a
/// repetition, replaced when a row ends it.
std::unique_ptr<OpExecutor> make_isolated_op_executor(const ProcessFactory& workers,
                                                      const ExecutionOptions& options);

/// Runs each case in a child process from `workers`, which outlives the executor as `datasets` does.
std::unique_ptr<CaseExecutor> make_isolated_executor(const ProcessFactory& workers,
                                                     const SharedDatasets& datasets,
                                                     const ExecutionOptions& options);

/// Asks a worker for the facts, so that this process need not load LibTorch. Throws what gather_facts throws,
/// and a device Error without an answer within five minutes, or `timeout` but at least 20 s.
EngineFacts ask_worker_for_facts(const ProcessFactory& workers, const FactsRequest& request,
                                 std::optional<Seconds> timeout);

}  // namespace gpubench
