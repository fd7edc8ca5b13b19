#include "pages/environment.h"

#include <algorithm>
#include <span>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "pages/format.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// A row of what each of `all` says; false, and no row, where none says anything.
template <class Thing, class CellOf>
bool add_row(Table& table, const std::string& label, const std::vector<Thing>& all, CellOf make_cell) {
  std::vector<Cell> row{{label}};
  for (const Thing& one : all) row.push_back(make_cell(one));
  const auto says_something = [](const Cell& cell) { return cell.text != "-"; };
  const bool is_told = std::ranges::any_of(std::span(row).subspan(1), says_something);
  if (is_told) table.rows.push_back(std::move(row));
  return is_told;
}

Cell words_cell(const std::string& words) { return words.empty() ? no_figure("") : Cell{words}; }

/// A row a field; one that none has with the reason of the first below the table.
template <class Record>
void add_rows(Table& table, Absences& absences, const FieldTable<Record>& fields,
              const std::vector<const Record*>& records) {
  for (const Field<Record>& field : fields) {
    const auto make_cell = [&](const Record* record) {
      const FieldValue value = field.get(*record);
      Cell cell = words_cell(field_words(value, field.unit));
      cell.note = one_line(why_absent(value));
      return cell;
    };
    const FieldValue first = field.get(*records.front());
    if (!add_row(table, field.label, records, make_cell) && std::holds_alternative<Missing>(first))
      absences.add(field.label, one_line(why_absent(first)));
  }
}

Table machine_table(const ToolRecord& tool, const Environment& environment) {
  Table table{"Machine and software", {{"what"}, {"value"}}, {}, {}};
  Absences absences;
  add_rows<ToolRecord>(table, absences, tool_fields(), {&tool});
  add_rows<Environment>(table, absences, environment_fields(), {&environment});
  table.notes = absences.notes();
  return table;
}

Table devices_table(const std::vector<DeviceRecord>& devices) {
  Table table{"Devices", {}, {}, {}};
  Absences absences;
  add_rows(table, absences, device_fields(),
           mapped(devices, [](const DeviceRecord& device) { return &device; }));
  table.notes = absences.notes();
  if (table.rows.empty()) return table;
  // The first field is the name.
  for (const Cell& name : table.rows.front()) table.columns.push_back({name.text});
  table.rows.erase(table.rows.begin());
  return table;
}

/// "official", or all that its files are; what is not official is worth a look.
Cell make_origin(const DatasetRecord& dataset) {
  if (dataset.is_synthetic) return {"synthetic", {}, one_line(dataset.note), Tone::kWarning};
  std::vector<std::string> origins;
  for (const DataFileRecord& file : dataset.files) {
    if (std::ranges::find(origins, file.provenance) == origins.end())
      origins.push_back(one_line(file.provenance));
  }
  const std::string text = origins.empty() ? "-" : join(origins);
  return {text, {}, one_line(dataset.note), text == "official" ? Tone::kGood : Tone::kWarning};
}

Cell get_size(const DatasetRecord& dataset) {
  if (dataset.files.empty()) return no_figure("");
  Bytes size;
  for (const DataFileRecord& file : dataset.files) size = size + file.size;
  return {byte_text(size), static_cast<double>(size.value)};
}

Table datasets_table(const std::vector<DatasetRecord>& datasets) {
  Columns<DatasetRecord> table(datasets);
  table.add({"dataset"}, [](const DatasetRecord& dataset) { return one_line(dataset.name); });
  table.add({"data"}, make_origin);
  table.add({"files", "", true},
            [](const DatasetRecord& dataset) { return count_cell(dataset.files.size()); });
  table.add({"size", "", true}, get_size);
  return table.take("Datasets");
}

std::string devices_text(const Surroundings& run) {
  const auto to_text = [](const DeviceRecord& device) {
    return one_line(device.model.empty() ? device.name : device.name + ": " + device.model);
  };
  return join(mapped(run.environment->devices, to_text), "; ");
}

std::string datasets_text(const Surroundings& run) {
  const auto to_text = [](const DatasetRecord& dataset) {
    return one_line(dataset.is_synthetic ? dataset.name + " (synthetic)" : dataset.name);
  };
  return join(mapped(run.environment->datasets, to_text), "; ");
}

}  // namespace

void add_environment(std::vector<Section>& sections, const ToolRecord& tool, const Environment& environment,
                     bool is_published) {
  std::vector<Block> blocks;
  if (!is_published) blocks.push_back(machine_table(tool, environment));
  if (!environment.devices.empty()) blocks.push_back(devices_table(environment.devices));
  if (!environment.datasets.empty()) blocks.push_back(datasets_table(environment.datasets));
  add_section(sections, "Environment", std::move(blocks));
}

Section environments_section(const std::vector<Surroundings>& all) {
  Table table{"", {{"what"}}, {}, {"What differs from the first file is marked."}};
  for (const Surroundings& run : all) table.columns.push_back({one_line(run.name)});
  const auto add = [&](const std::string& label, auto format_words) {
    add_row(table, label, all, [&](const Surroundings& one) { return words_cell(format_words(one)); });
  };
  for (const Field<Environment>& field : environment_fields()) {
    add(field.label,
        [&](const Surroundings& one) { return field_words(field.get(*one.environment), field.unit); });
  }
  add("devices", devices_text);
  add("datasets", datasets_text);
  add("started", [](const Surroundings& run) { return one_line(run.tool->started_at); });
  add("gpubench", [](const Surroundings& run) { return one_line(run.tool->version); });
  for (std::vector<Cell>& row : table.rows) {
    for (Cell& cell : std::span(row).subspan(2)) {
      if (cell.text != "-" && cell.text != row[1].text) cell.tone = Tone::kWarning;
    }
  }
  return {"Environments side by side", {std::move(table)}};
}

std::string whereabouts(const std::vector<std::string>& devices, const std::string& suite,
                        const ToolRecord& tool, const Environment& environment) {
  const auto named = [&](const std::string& device) {
    const auto known = std::ranges::find(environment.devices, device, &DeviceRecord::name);
    const std::string model = known == environment.devices.end() ? "" : known->model;
    return model.empty() || model == device ? device : device + " (" + model + ")";
  };
  const auto told = [](const char* before, const std::string& text) {
    return text.empty() ? "" : before + one_line(text);
  };
  return fmt::format("On {}{}{}{}.", one_line(join(mapped(devices, named))), told(" of ", environment.host),
                     told(", suite ", suite), told(", started ", tool.started_at));
}

}  // namespace gpubench
