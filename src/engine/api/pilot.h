#pragma once
// What a few steps tell about a whole case.

#include <cstdint>
#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Measured on a few steps of a case, the first of which is dropped.
struct Pilot {
  RowStatus status =
      RowStatus::kOk;         ///< What the case would end as; the figures mean something for `ok` only.
  std::string status_reason;  ///< Empty for `ok`.
  Seconds setup;              ///< As `setup_seconds` of a case.
  Seconds first_step;         ///< Lazy initialisation and kernel selection included.
  Seconds step;               ///< Median of the steps after the first.
  Seconds duration;           ///< Set-up and steps together.
  std::int64_t steps = 0;     ///< How many were tried, the first included.
  Reading<Bytes> peak_device;
};

}  // namespace gpubench
