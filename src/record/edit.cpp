#include "gpubench/record/edit.h"

#include "gpubench/core/collect.h"
#include "record/record_parts.h"

namespace gpubench {
namespace {

/// Removes text and reasons. Returns true if a value changed.
template <class Record>
bool redact_field(Record& record, const Field<Record>& field) {
  const FieldValue value = field.get(record);
  const FieldValue removed = missing("removed");
  if (std::holds_alternative<Missing>(value)) {
    // The reason of an empty record is a constant of gpubench, so it can stay.
    static const Record empty{};
    if (value != field.get(empty)) field.set(record, removed);
    return false;
  }
  if (field.values.is_own_word) return false;
  if (const auto* text = std::get_if<std::string>(&value); text && !text->empty()) {
    if (field.values.may_be_absent) field.set(record, removed);
    const bool may_be_empty = !field.values.least && field.values.pattern.empty();
    if (field.get(record) != removed) field.set(record, std::string(may_be_empty ? "" : "removed"));
  } else if (std::holds_alternative<std::vector<std::string>>(value)) {
    field.set(record, std::vector<std::string>());
  } else if (const auto* warnings = std::get_if<std::vector<Warning>>(&value)) {
    field.set(record, mapped(*warnings, [](const Warning& warning) {
                return Warning{warning.kind, warning.figure, warning.kind.name};
              }));
  }
  return field.get(record) != value;
}

template <class Record>
void redact_record(Record& record, const FieldTable<Record>& fields, std::vector<std::string>& removed) {
  for (const Field<Record>& field : fields) {
    if (field.set && redact_field(record, field)) add_once(removed, field.key);
  }
  visit_lists(record, [&](const char* /*key*/, auto& list, const auto& its_fields) {
    for (auto& item : list) redact_record(item, its_fields, removed);
  });
}

template <class Run>
std::vector<std::string> redact_all(Run& run) {
  std::vector<std::string> removed;
  visit_parts(run, [&](const char* /*key*/, auto& part, const auto& fields) {
    redact_record(part, fields, removed);
  });
  visit_rows(run, [&](auto& rows, const auto& fields) {
    for (auto& row : rows) redact_record(row, fields, removed);
  });
  return removed;
}

}  // namespace

std::vector<std::string> redact(RunRecord& run) { return redact_all(run); }
std::vector<std::string> redact(SelftestRecord& selftest) { return redact_all(selftest); }

}  // namespace gpubench
