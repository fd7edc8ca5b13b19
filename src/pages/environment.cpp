#include <algorithm>
#include <span>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// Text of a value in a suitable unit ("64 GiB", "yes"); empty for an absent one and for lists of figures.
struct FieldWords {
  const std::string& unit;

  std::string operator()(bool is_true) const { return is_true ? "yes" : "no"; }
  std::string operator()(std::int64_t count) const {
    return unit == "B" ? byte_text(Bytes{count}) : with_separators(count);
  }
  std::string operator()(double number) const {
    return unit.empty() ? fmt::format("{:g}", number) : prefixed_text(number, unit);
  }
  std::string operator()(const std::string& text) const { return one_line(text); }
  std::string operator()(const std::vector<std::string>& words) const { return join(words, " "); }
  std::string operator()(const NamedValues& values) const {
    return join(mapped(
        values, [&](const auto& entry) { return one_line(entry.first) + " " + (*this)(entry.second); }));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

/// Adds a row with a cell for each of `all`, unless none has a text.
template <class Thing, class CellOf>
void add_row(Table& table, const std::string& label, const std::vector<Thing>& all, CellOf make_cell) {
  std::vector<Cell> row{{label}};
  for (const Thing& one : all) {
    Cell cell = to_cell(make_cell(one));
    row.push_back(cell.text.empty() ? no_figure(cell.note) : std::move(cell));
  }
  if (std::ranges::any_of(std::span(row).subspan(1), [](const Cell& cell) { return cell.text != "-"; }))
    table.rows.push_back(std::move(row));
}

/// Adds a row for each field that any record has.
template <class Record>
void add_rows(Table& table, const FieldTable<Record>& fields, const std::vector<const Record*>& records) {
  for (const Field<Record>& field : fields) {
    add_row(table, field.label, records, [&](const Record* record) {
      const FieldValue value = field.get(*record);
      return Cell{std::visit(FieldWords{field.unit}, value), {}, one_line(why_absent(value))};
    });
  }
}

Table devices_table(const std::vector<DeviceRecord>& devices) {
  Table table{"Devices", {}, {}, {}};
  add_rows(table, device_fields(), mapped(devices, [](const DeviceRecord& device) { return &device; }));
  if (table.rows.empty()) return table;
  // The first field is the name.
  for (const Cell& name : table.rows.front()) table.columns.push_back({name.text});
  table.rows.erase(table.rows.begin());
  return table;
}

/// "official", or the origins of all its files.
Cell find_origin(const DatasetRecord& dataset) {
  if (dataset.is_synthetic) return {"synthetic", {}, one_line(dataset.note), Tone::kWarning};
  std::vector<std::string> origins;
  for (const DataFileRecord& file : dataset.files) add_once(origins, one_line(file.provenance));
  const std::string text = origins.empty() ? "-" : join(origins);
  return {text, {}, one_line(dataset.note), text == "official" ? Tone::kGood : Tone::kWarning};
}

Cell find_size(const DatasetRecord& dataset) {
  if (dataset.files.empty()) return no_figure("");
  Bytes size;
  for (const DataFileRecord& file : dataset.files) size = size + file.size;
  return {byte_text(size), static_cast<double>(size.value)};
}

Table datasets_table(const std::vector<DatasetRecord>& datasets) {
  Columns<DatasetRecord> table(datasets);
  table.text("dataset", [](const DatasetRecord& dataset) { return one_line(dataset.name); });
  table.text("data", find_origin);
  table.number("files", "", [](const DatasetRecord& dataset) { return dataset.files.size(); });
  table.number("size", "", find_size);
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
  if (!is_published) {
    Table machine{"Machine and software", {{"what"}, {"value"}}, {}, {}};
    add_rows<ToolRecord>(machine, tool_fields(), {&tool});
    add_rows<Environment>(machine, environment_fields(), {&environment});
    blocks.push_back(std::move(machine));
  }
  if (!environment.devices.empty()) blocks.push_back(devices_table(environment.devices));
  if (!environment.datasets.empty()) blocks.push_back(datasets_table(environment.datasets));
  add_section(sections, "Environment", std::move(blocks));
}

Section environments_section(const std::vector<Surroundings>& all) {
  Table table{"", {{"what"}}, {}, {"What differs from the first file is marked."}};
  for (const Surroundings& run : all) table.columns.push_back({one_line(run.name)});
  for (const Field<Environment>& field : environment_fields()) {
    add_row(table, field.label, all, [&](const Surroundings& one) {
      return std::visit(FieldWords{field.unit}, field.get(*one.environment));
    });
  }
  add_row(table, "devices", all, devices_text);
  add_row(table, "datasets", all, datasets_text);
  add_row(table, "started", all, [](const Surroundings& run) { return one_line(run.tool->started_at); });
  add_row(table, "gpubench", all, [](const Surroundings& run) { return one_line(run.tool->version); });
  for (std::vector<Cell>& row : table.rows) {
    for (Cell& cell : std::span(row).subspan(2)) {
      if (cell.text != "-" && cell.text != row[1].text) cell.tone = Tone::kWarning;
    }
  }
  return {"Environments side by side", {std::move(table)}};
}

}  // namespace gpubench
