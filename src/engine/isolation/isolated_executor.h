#pragma once
// Rows in processes of their own, which map decoded datasets instead of decoding them again.

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

/// Owns the samples, which are not mapped into this process.
struct SharedDataset {
  /// Copies the arrays of `dataset`. Throws a usage Error if memory cannot be shared.
  explicit SharedDataset(const Dataset& dataset);

  FileDescriptor memory;  ///< A child inherits it.
  Json layout;            ///< Input of MappedDataset.
  DataFacts facts;
};

using SharedDatasets = std::map<std::string, SharedDataset>;

/// In the child: a dataset over memory that another process shares.
struct MappedDataset {
  /// `layout` is from the supervisor's SharedDataset, `spec` from the dataset's entry.
  MappedDataset(const Json& layout, const DataSpec& spec);

  std::shared_ptr<std::byte> memory;
  Dataset dataset;
};

/// Runs each case in a child process of its own, and a repetition's operations in one, replaced if it ends.
/// Modes that trials choose on this machine (`environment`) are kept in `facts`. All but `options` outlive
/// the executor.
std::unique_ptr<Executor> make_isolated_executor(const ProcessFactory& workers,
                                                 const SharedDatasets& datasets, MachineFacts& facts,
                                                 const Environment& environment,
                                                 const ExecutionOptions& options);

/// Asks a worker for the facts, so that this process need not load LibTorch. The worker gets the peaks of
/// `stored`, which keeps those that it measures. Throws what gather_facts throws, and a device Error without
/// an answer within five minutes, or `timeout` but at least 20 s.
EngineFacts ask_worker_for_facts(const ProcessFactory& workers, FactsRequest request, MachineFacts& stored,
                                 std::optional<Seconds> timeout);

}  // namespace gpubench
