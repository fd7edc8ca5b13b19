#pragma once
// Runs rows in worker processes, which map the supervisor's decoded datasets.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/machine/facts.h"
#include "engine/plan/plan.h"
#include "gpubench/core/io/files.h"
#include "gpubench/dataset.h"
#include "record/document/json.h"

namespace gpubench {

/// Samples in shared memory. They are not mapped into this process.
struct SharedDataset {
  /// Copies the arrays of `dataset`. Throws a usage Error if memory cannot be shared.
  explicit SharedDataset(const Dataset& dataset);

  FileDescriptor memory;  ///< Shared memory, inherited by children.
  Json layout;            ///< Argument of MappedDataset.
};

using SharedDatasets = std::map<std::string, SharedDataset>;  ///< By data_key().

/// A dataset in a child, in the memory of a SharedDataset.
struct MappedDataset {
  /// `layout` is SharedDataset::layout, `spec` is data_spec().
  MappedDataset(const Json& layout, const DataSpec& spec);

  std::shared_ptr<std::byte> memory;
  Dataset dataset;
};

/// Runs each case in a fresh process, and all operations of a repeat in one, which is replaced if it ends.
/// Stores the modes that trials choose on this machine (`environment`) in `facts`. All arguments except
/// `options` outlive the executor.
std::unique_ptr<Executor> make_isolated_executor(const ProcessFactory& workers,
                                                 const SharedDatasets& datasets, MachineFacts& facts,
                                                 const Environment& environment,
                                                 const ExecutionOptions& options);

/// Gathers the facts in a worker, so that this process need not load LibTorch. Passes it the peaks in
/// `stored`, and stores those that it measures. Throws like gather_facts(), and a device Error if the worker
/// does not answer within `timeout` (at least 20 s; default five minutes).
EngineFacts ask_worker_for_facts(const ProcessFactory& workers, FactsRequest request, MachineFacts& stored,
                                 std::optional<Seconds> timeout);

}  // namespace gpubench
