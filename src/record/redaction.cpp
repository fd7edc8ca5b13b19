#include "gpubench/record/redaction.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>

#include "gpubench/core/io/messages.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/op_fields.h"
#include "record/redactor.h"

namespace gpubench {
namespace {

using Change = std::function<std::string(const std::string&)>;

/// Texts that are gpubench's own words: a host that is called like one of them must not change them.
bool is_own_word(std::string_view key) {
  static constexpr std::array<std::string_view, 35> kKeys = {"model",
                                                             "sizes",
                                                             "dataset",
                                                             "device",
                                                             "execution",
                                                             "precision",
                                                             "layout",
                                                             "loader",
                                                             "protocol",
                                                             "item",
                                                             "optimizer",
                                                             "status",
                                                             "skip_rule",
                                                             "started_at",
                                                             "execution_used",
                                                             "layout_used",
                                                             "stopped_by",
                                                             "version",
                                                             "git_commit",
                                                             "allocator",
                                                             "isolation",
                                                             "finished_at",
                                                             "parameter_checksum",
                                                             "sha256",
                                                             "provenance",
                                                             "peak_measured_at",
                                                             "meter",
                                                             "scope",
                                                             "quantity",
                                                             "method",
                                                             "op",
                                                             "type",
                                                             "direction",
                                                             "cache",
                                                             "clock"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

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
void visit(Record& record, std::span<const Field<Record>> fields, const Change& change) {
  for (const Field<Record>& field : fields) {
    if (!field.set) continue;
    FieldValue value = field.get(record);
    // The reason why such a word is absent is free text.
    if (is_own_word(field.key) && !std::holds_alternative<Absent>(value)) continue;
    if (change_texts(value, change)) field.set(record, value);
  }
}

void visit(Environment& environment, const Change& change) {
  visit(environment, environment_fields(), change);
  for (DeviceRecord& device : environment.devices) {
    const std::string name = device.name;
    visit(device, device_fields(), change);
    device.name = name;
  }
  for (DatasetRecord& dataset : environment.datasets) {
    const std::string name = dataset.name;
    visit(dataset, dataset_fields(), change);
    dataset.name = name;
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
