#pragma once
// The rows of a run and what has become of them, in memory and in the store.

#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"
#include "store/optional_store.h"

namespace gpubench {

struct RecordedRow : StoredRow {
  Result planned;  ///< `record` before the row is run.
};

/// Keeps the state of a run and writes each change to the store, if there is one. Used by one thread. The
/// store, which outlives it, may fail at any time: the state is complete without it.
class Recorder {
 public:
  /// Begins a run. `output` is the path of its result file; a run without one is not stored.
  Recorder(RunRecord header, const std::vector<Result>& planned, OptionalStore& store,
           const std::string& output);

  /// Continues `former`, whose rows are those of `planned`, in their order. The store gets the run
  /// as it is here. Throws a usage Error if another process measures it.
  static Recorder resume(const RunRecord& former, const std::vector<Result>& planned, OptionalStore& store,
                         const std::string& output);

  const RunRecord& header() const { return header_; }  ///< Without rows.
  const std::vector<RecordedRow>& rows() const { return rows_; }

  /// Returns the result so far. Rows without an end are `interrupted`; none is above its peak.
  RunRecord document() const;

  /// Adds a row that is not in the plan, such as a further repetition. Returns its position.
  std::size_t add_row(const Result& planned);
  void start(std::size_t position);
  void add_epoch(std::size_t position, const EpochRecord& epoch);
  void finish(std::size_t position, const Result& result);
  /// The peak of the device was measured again: from now on the better of each figure holds.
  void raise_peak(const DeviceRecord& device);
  /// Every row has ended. The store gets that from save().
  void end();

  /// Writes the result to the store as its file has it, even if the store failed before: a disk may have been
  /// full for a while. Until then the run is unfinished there, so the file is written first.
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
  std::optional<RunId> run_;  // Empty if the run is not stored.
};

}  // namespace gpubench
