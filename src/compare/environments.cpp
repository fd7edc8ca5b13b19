#include <algorithm>

#include "compare/field_words.h"
#include "gpubench/compare/run_page.h"
#include "gpubench/core/nearest.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

std::string devices_text(const RunRecord& run) {
  std::vector<std::string> devices;
  for (const DeviceRecord& device : run.environment.devices) {
    devices.push_back(one_line(device.model.empty() ? device.name : device.name + ": " + device.model));
  }
  return join(devices, "; ");
}

std::string datasets_text(const RunRecord& run) {
  std::vector<std::string> datasets;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    datasets.push_back(one_line(dataset.is_synthetic ? dataset.name + " (synthetic)" : dataset.name));
  }
  return join(datasets, "; ");
}

/// A row of what each run says; nothing where none says anything.
void add_row(const std::string& label, const std::vector<std::string>& words, Table& table) {
  if (std::all_of(words.begin(), words.end(), [](const std::string& text) { return text.empty(); })) return;
  std::vector<Cell> row = {{label}};
  for (const std::string& text : words) {
    const Tone tone = text.empty() ? Tone::kMuted : text == words.front() ? Tone::kPlain : Tone::kWarning;
    row.push_back({text.empty() ? "-" : text, {}, "", tone});
  }
  table.rows.push_back(std::move(row));
}

template <class Words>
void add_row(const std::string& label, const std::vector<NamedRun>& runs, Words words_of, Table& table) {
  std::vector<std::string> words;
  for (const NamedRun& run : runs) words.push_back(words_of(run.run));
  add_row(label, words, table);
}

}  // namespace

Section environments_section(const std::vector<NamedRun>& runs) {
  Table table{"", {{"what"}}, {}, {"What differs from the first file is marked."}};
  for (const NamedRun& run : runs) table.columns.push_back({one_line(run.name)});
  for (const Field<Environment>& field : environment_fields()) {
    const auto words = [&](const RunRecord& run) {
      return field_words(field.get(run.environment), field.unit);
    };
    add_row(field.label, runs, words, table);
  }
  add_row("devices", runs, devices_text, table);
  add_row("datasets", runs, datasets_text, table);
  add_row(
      "started", runs, [](const RunRecord& run) { return one_line(run.tool.started_at); }, table);
  add_row(
      "gpubench", runs, [](const RunRecord& run) { return one_line(run.tool.version); }, table);
  return {"Environments side by side", {std::move(table)}};
}

}  // namespace gpubench
