#pragma once
// What one epoch adds to the row of its case. The process that trains and the one that supervises it add the
// same epochs to the same row, so that a case that dies has all that it had told.

#include <optional>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// One epoch; its size does not depend on how many there were before.
struct EpochRecord {
  std::vector<Phase> phases;  ///< Of the timeline: the epoch and, protocol fit, its validation.
  Seconds duration;
  NamedValues training;  ///< Over the samples of the epoch.
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  std::optional<Bytes> host;          ///< Resident set after it.
  std::optional<Bytes> device;        ///< Held by tensors after it.
  std::optional<Seconds> input_wait;  ///< Loader host.
  std::optional<Seconds> validation;  ///< Protocol fit, as is the next.
  NamedValues validation_figures;
};

/// Adds all that training and validation gave. Throws a data Error where the figures are not those that the
/// epochs before had.
void add_epoch(CaseRecord& record, const EpochRecord& epoch);

// The two halves of add_epoch(). An epoch counts also where its validation fails. The phases, which are in
// order, belong to whoever times them.
void add_training(CaseRecord& record, const EpochRecord& epoch);
void add_validation(CaseRecord& record, const EpochRecord& epoch);

}  // namespace gpubench
