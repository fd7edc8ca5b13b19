#include "compare/run_environment.h"

#include <algorithm>

#include "compare/field_words.h"
#include "compare/record_table.h"
#include "gpubench/core/byte_size.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// Rows of label and value for the fields that have one, the reason of the others below the table.
template <class Record>
void add_rows(Table& table, Absences& absences, const FieldTable<Record>& fields, const Record& record) {
  for (const Field<Record>& field : fields) {
    const FieldValue value = field.get(record);
    const std::string words = field_words(value, field.unit);
    if (const Absent* why = std::get_if<Absent>(&value)) absences.add(field.label, one_line(why->reason));
    if (!words.empty()) table.rows.push_back({{field.label}, {words}});
  }
}

Table machine_table(const ToolRecord& tool, const Environment& environment) {
  Table table{"Machine and software", {{"what"}, {"value"}}, {}, {}};
  Absences absences;
  add_rows(table, absences, tool_fields(), tool);
  add_rows(table, absences, environment_fields(), environment);
  table.notes = absences.notes();
  return table;
}

/// The field of all devices; nothing where no device has it.
std::vector<Cell> device_row(const Field<DeviceRecord>& field, const std::vector<DeviceRecord>& devices) {
  std::vector<Cell> row{{field.label}};
  bool is_known = false;
  for (const DeviceRecord& device : devices) {
    const FieldValue value = field.get(device);
    const std::string words = field_words(value, field.unit);
    const Absent* why = std::get_if<Absent>(&value);
    is_known = is_known || !words.empty();
    row.push_back({words.empty() ? "-" : words,
                   {},
                   why == nullptr ? "" : one_line(why->reason),
                   words.empty() ? Tone::kMuted : Tone::kPlain});
  }
  return is_known ? row : std::vector<Cell>{};
}

Table devices_table(const std::vector<DeviceRecord>& devices) {
  Table table{"Devices", {}, {}, {}};
  Absences absences;
  for (const Field<DeviceRecord>& field : device_fields()) {
    std::vector<Cell> row = device_row(field, devices);
    if (row.empty()) {
      const FieldValue value = field.get(devices.front());
      const Absent* why = std::get_if<Absent>(&value);
      if (why != nullptr) absences.add(field.label, one_line(why->reason));
    } else if (table.columns.empty()) {
      for (const Cell& name : row) table.columns.push_back({name.text});
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = absences.notes();
  return table;
}

/// "official", or all that its files are; what is not official is worth a look.
Cell origin_of(const DatasetRecord& dataset) {
  if (dataset.is_synthetic) return {"synthetic", {}, one_line(dataset.note), Tone::kWarning};
  std::vector<std::string> origins;
  for (const DataFileRecord& file : dataset.files) {
    if (std::find(origins.begin(), origins.end(), file.provenance) == origins.end())
      origins.push_back(one_line(file.provenance));
  }
  const bool is_official = origins == std::vector<std::string>{"official"};
  return {origins.empty() ? "-" : join(origins),
          {},
          one_line(dataset.note),
          is_official ? Tone::kGood : Tone::kWarning};
}

std::vector<Cell> dataset_row(const DatasetRecord& dataset) {
  Bytes size;
  for (const DataFileRecord& file : dataset.files) size = size + file.size;
  const auto count = static_cast<double>(dataset.files.size());
  const Cell none{"-", {}, {}, Tone::kMuted};
  const Cell bytes{byte_text(size), static_cast<double>(size.value)};
  return {{one_line(dataset.name)},
          origin_of(dataset),
          {std::to_string(dataset.files.size()), count},
          dataset.files.empty() ? none : bytes};
}

Table datasets_table(const std::vector<DatasetRecord>& datasets) {
  Table table{"Datasets", {{"dataset"}, {"data"}, {"files", "", true}, {"size", "", true}}, {}, {}};
  for (const DatasetRecord& dataset : datasets) table.rows.push_back(dataset_row(dataset));
  return table;
}

}  // namespace

Section environment_section(const ToolRecord& tool, const Environment& environment) {
  Section section{"Environment", {machine_table(tool, environment)}};
  if (!environment.devices.empty()) section.blocks.push_back(devices_table(environment.devices));
  if (!environment.datasets.empty()) section.blocks.push_back(datasets_table(environment.datasets));
  return section;
}

Section environment_section(const RunRecord& run) {
  Section section = environment_section(run.tool, run.environment);
  // Of a publication nothing is known but what its own fields say.
  if (run.published) section.blocks.erase(section.blocks.begin());
  return section;
}

}  // namespace gpubench
