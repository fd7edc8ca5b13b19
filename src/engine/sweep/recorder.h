#pragma once
// State of a run's rows, in memory and in the store.

#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"
#include "store/optional_store.h"

namespace gpubench {

struct RecordedRow : StoredRow {
  Result planned;  ///< The row before its execution.
};

/// Keeps the state of a run and writes each change to the store. The store may fail at any time: the state in
/// memory is complete. The store outlives the recorder. Not thread-safe.
class Recorder {
 public:
  /// Begins a run. `output` is the path of its result file; if empty, the run is not stored.
  Recorder(RunRecord header, const std::vector<Result>& planned, OptionalStore& store,
           const std::string& output);

  /// Continues `former`, whose rows match `planned` in order, and replaces the stored run by it. Throws a
  /// usage Error if another process is running it.
  static Recorder resume(const RunRecord& former, const std::vector<Result>& planned, OptionalStore& store,
                         const std::string& output);

  const RunRecord& header() const { return header_; }  ///< Without rows.
  const std::vector<RecordedRow>& rows() const { return rows_; }

  /// Returns the result so far, with consistent peaks. Unfinished rows are `interrupted`.
  RunRecord document() const;

  /// Adds a row that is not in the plan, such as another repeat. Returns its position.
  std::size_t add_row(const Result& planned);
  void start(std::size_t position);
  void add_epoch(std::size_t position, const EpochRecord& epoch);
  void finish(std::size_t position, const Result& result);
  /// Raises the device's peak figures to those in `device`, where higher.
  void raise_peak(const DeviceRecord& device);
  /// Marks the run as finished. The store gets that from save().
  void end();

  /// Writes the final result to the store, even after earlier failures such as a full disk. Write the result
  /// file first: until this call, the store lists the run as unfinished.
  void save(const RunRecord& document);

 private:
  Recorder(RunRecord header, OptionalStore& store, std::string output);

  std::vector<StoredRow> stored_rows() const;
  template <class Use>
  void keep(const Use& use);

  RunRecord header_;
  std::vector<RecordedRow> rows_;
  OptionalStore* store_;
  std::string output_;
  std::optional<RunId> run_;  // Unset if the run is not stored.
};

}  // namespace gpubench
