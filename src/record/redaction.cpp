#include "gpubench/record/redaction.h"

#include <algorithm>
#include <functional>

#include "gpubench/core/io/messages.h"
#include "gpubench/record/field_table.h"
#include "record/redactor.h"

namespace gpubench {
namespace {

using Change = std::function<std::string(const std::string&)>;

/// The value with its texts changed; true where that made a difference.
bool change_texts(FieldValue& value, const Change& change) {
  const FieldValue before = value;
  if (auto* text = std::get_if<std::string>(&value)) *text = change(*text);
  if (auto* absent_value = std::get_if<Absent>(&value)) absent_value->reason = change(absent_value->reason);
  if (auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::transform(texts->begin(), texts->end(), texts->begin(), change);
  }
  if (auto* warnings = std::get_if<std::vector<Warning>>(&value)) {
    for (Warning& warning : *warnings) warning.text = change(warning.text);
  }
  return !(value == before);
}

template <class Record>
void visit(Record& record, const FieldTable<Record>& fields, const Change& change) {
  for (const Field<Record>& field : fields) {
    if (!field.set) continue;
    FieldValue value = field.get(record);
    // A host that is called like one of gpubench's words must not change it. Why such a word is absent is
    // free text.
    if (field.values.is_own_word && !std::holds_alternative<Absent>(value)) continue;
    if (change_texts(value, change)) field.set(record, value);
  }
}

void visit(Environment& environment, const Change& change) {
  visit(environment, environment_fields(), change);
  for (DeviceRecord& device : environment.devices) visit(device, device_fields(), change);
  for (DatasetRecord& dataset : environment.datasets) {
    visit(dataset, dataset_fields(), change);
    for (DataFileRecord& file : dataset.files) visit(file, data_file_fields(), change);
  }
}

void visit(RunRecord& run, const Change& change) {
  visit(run.tool, tool_fields(), change);
  visit(run.plan, plan_fields(), change);
  visit(run.environment, change);
  if (run.published) visit(*run.published, published_fields(), change);
  for (CaseRecord& record : run.cases) {
    visit(record, case_fields(), change);
    for (EnergyRecord& energy : record.energy) visit(energy, energy_fields(), change);
  }
}

void visit(OpsRecord& ops, const Change& change) {
  visit(ops.tool, tool_fields(), change);
  visit(ops.environment, change);
  if (ops.published) visit(*ops.published, published_fields(), change);
  for (OpRecord& row : ops.rows) visit(row, op_fields(), change);
}

void know_host(Redactor& redactor, const std::string& host) {
  redactor.know(host, "host");
  redactor.know(host.substr(0, host.find('.')), "host");
}

template <class Record>
std::vector<Replacement> redact_record(Record& record, const Identity& known) {
  Redactor redactor;
  know_host(redactor, record.environment.host);
  know_host(redactor, known.host);
  redactor.know(known.home, "/home/user");
  redactor.know(known.user, "user");
  visit(record, [&](const std::string& text) {
    redactor.learn_users(text);
    return text;
  });
  visit(record, [&](const std::string& text) { return redactor.redacted(without_passwords(text)); });
  return redactor.replacements();
}

}  // namespace

std::vector<Replacement> redact(RunRecord& run, const Identity& known) { return redact_record(run, known); }

std::vector<Replacement> redact(OpsRecord& ops, const Identity& known) { return redact_record(ops, known); }

}  // namespace gpubench
