#pragma once
// The parts of the table of a case's fields that have files of their own.

#include <vector>

#include "record/field_value.h"

namespace gpubench {

using CaseRows = std::vector<Field<CaseRecord>>;

CaseRows memory_rows();
CaseRows energy_rows();       ///< Derived, but for the note; the sources have a table of their own.
CaseRows utilization_rows();  ///< What a step costs, what share of the device's roof it reaches, the profile.

/// A derived field: `derived(startup)`.
template <class Function>
Access<CaseRecord> derived(Function function) {
  return {[function](const CaseRecord& record) { return field_value(function(record)); }};
}

}  // namespace gpubench
