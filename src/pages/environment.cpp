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

/// Adds a row for each field that any record has, with a cell for each of them.
template <class Record, class Records>
void add_rows(Table& table, const FieldTable<Record>& fields, const Records& records) {
  for (const Field<Record>& field : fields) {
    std::vector<Cell> row = mapped(records, [&](const Record* record) {
      const FieldValue value = field.get(*record);
      std::string text = std::visit(FieldWords{field.unit}, value);
      return text.empty() ? no_figure(one_line(why_absent(value))) : Cell{std::move(text)};
    });
    const bool has_any = std::ranges::any_of(row, [](const Cell& cell) { return cell.text != "-"; });
    row.insert(row.begin(), {field.label});
    if (has_any) table.rows.push_back(std::move(row));
  }
}

/// Makes a column for each of `runs`, which `columns` name.
Table machine_table(std::string title, const std::vector<std::string>& columns,
                    const std::vector<const RunRecord*>& runs) {
  Table table{std::move(title), {{"what"}}, {}, {}};
  append(table.columns, mapped(columns, [](const std::string& name) { return Column{one_line(name)}; }));
  add_rows(table, tool_fields(), mapped(runs, [](const RunRecord* run) { return &run->tool; }));
  add_rows(table, environment_fields(), mapped(runs, [](const RunRecord* run) { return &run->environment; }));
  return table;
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

}  // namespace

void add_environment(std::vector<Section>& sections, const RunRecord& run) {
  Table machine;
  if (!run.published) machine = machine_table("Machine and software", {"value"}, {&run});
  add_section(sections, "Environment", std::move(machine), devices_table(run.environment.devices),
              datasets_table(run.environment.datasets));
}

void add_environments(std::vector<Section>& sections, const std::vector<NamedRun>& all) {
  std::vector<std::string> names;
  std::vector<const RunRecord*> runs;
  for (const NamedRun& one : all) {
    if (one.run.published) continue;
    names.push_back(one.name);
    runs.push_back(&one.run);
  }
  Table table = machine_table("", names, runs);
  table.notes = {"What differs from the first file is marked."};
  for (std::vector<Cell>& row : table.rows) {
    for (Cell& cell : std::span(row).subspan(2)) {
      if (cell.text != "-" && cell.text != row[1].text) cell.tone = Tone::kWarning;
    }
  }
  add_section(sections, "Environments side by side", std::move(table));
}

}  // namespace gpubench
