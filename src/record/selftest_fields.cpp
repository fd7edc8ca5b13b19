#include "gpubench/record/selftest_record.h"
#include "record/field_value.h"

namespace gpubench {

const FieldTable<CheckRow>& check_fields() {
  using R = CheckRow;
  static const FieldTable<R> fields({
      {"device", "", "device", "Name of one of `environment.devices`.",
       member(&R::device).at_least(1).own_word()},
      {"check", "", "check", Shown::kInTable,
       "Name of the check; [selftest.md](../docs/selftest.md) has all.",
       member(&R::check).at_least(1).own_word()},
      {"subject", "", "of", Shown::kInTable,
       "What of it was checked: a model, a precision, a power meter; empty where there is one thing "
       "alone.",
       member(&R::subject).own_word()},
      {"claim", "", "claim", "What is true where it passes.", member(&R::claim).at_least(1).own_word()},
      {"status", "", "status", Shown::kInTable, "`pass`, `fail`, or `unchecked`: it cannot be checked here.",
       named(&R::status)},
      {"message", "", "found", Shown::kInTable, "What was found, or why it cannot be checked.",
       member(&R::message).at_least(1)},
      {"deviation", "", "deviation", "How far off it was.", member(&R::deviation).in("comparison")},
      {"tolerance", "", "tolerance", "How far off it may be.", member(&R::tolerance).in("comparison")},
      {"duration_seconds", "s", "duration", "Of the check, all of its rows together.", member(&R::duration)},
  });
  return fields;
}

}  // namespace gpubench
