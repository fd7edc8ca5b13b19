#include "app/run/ops_table.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"

namespace gpubench {
namespace {

template <class Is>
bool any(const std::vector<OpRecord>& rows, Is is) {
  return std::any_of(rows.begin(), rows.end(), is);
}

/// The parts of `rows` that `key` tells apart, in the order of their first rows.
std::vector<std::string> distinct(const std::vector<OpRecord>& rows,
                                  const std::function<std::string(const OpRecord&)>& key) {
  std::vector<std::string> found;
  for (const OpRecord& row : rows) {
    if (std::find(found.begin(), found.end(), key(row)) == found.end()) found.push_back(key(row));
  }
  return found;
}

std::string op_of(const OpRecord& row) { return row.op; }
std::string device_of(const OpRecord& row) { return row.device; }
std::string type_of(const OpRecord& row) { return to_string(row.type); }
std::string status_of(const OpRecord& row) { return to_string(row.status); }

std::string cell_text(const Field<OpRecord>& field, const OpRecord& row) {
  const FieldValue value = field.get(row);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return "-";
  if (field.unit == "fraction") return fmt::format("{:.1f} %", 100 * *number);
  if (field.unit.empty()) return fmt::format("{:.1e}", *number);
  return *number > 0 ? prefixed_text(*number, field.unit) : "-";
}

bool is_shown(const Field<OpRecord>& field, const std::vector<OpRecord>& rows) {
  if (field.shown == Shown::kInTableOfRepeats) {
    return any(rows, [](const OpRecord& row) { return row.repeat > 1; });
  }
  if (field.shown != Shown::kInTableWhereUnusual) return field.shown == Shown::kInTable;
  if (field.key == "device") return distinct(rows, device_of).size() > 1;
  const FieldValue usual = field.get(OpRecord{});
  return any(rows, [&](const OpRecord& row) {
    const FieldValue value = field.get(row);
    return !std::holds_alternative<Absent>(value) && value != usual;
  });
}

std::string word_of(const OpRecord& row) {
  if (row.status == RowStatus::kFellBack) return "fell back";
  return is_slow(row) ? "slow" : status_of(row);
}

/// "-" where no such row was run.
std::string word_of(const std::vector<OpRecord>& rows, const std::string& op, const std::string& type) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const OpRecord& row) { return row.op == op && type_of(row) == type; });
  return found == rows.end() ? "-" : word_of(*found);
}

std::string matrix_of_device(const std::vector<OpRecord>& rows) {
  TextTable table({{"op", Align::kLeft}});
  const std::vector<std::string> types = distinct(rows, type_of);
  for (const std::string& type : types) table.add_column(type, Align::kLeft);
  for (const std::string& op : distinct(rows, op_of)) {
    std::vector<std::string> cells{op};
    for (const std::string& type : types) cells.push_back(word_of(rows, op, type));
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

/// Something that rows of an operation have in common, and the first of them.
struct Problem {
  const OpRecord* row;
  std::string what;
  std::size_t rows;
};

void note(std::vector<Problem>& problems, const OpRecord& row, const std::string& what) {
  const auto same = std::find_if(problems.begin(), problems.end(), [&](const Problem& problem) {
    return problem.row->op == row.op && problem.row->device == row.device && problem.what == what;
  });
  if (same != problems.end())
    ++same->rows;
  else
    problems.push_back({&row, what, 1});
}

/// "matmul 256x256 256x256, fp16 on cpu".
std::string name_of(const OpRecord& row) {
  const std::string direction = row.direction == OpDirection::kForward ? "" : ", " + to_string(row.direction);
  const std::string cache = row.cache == OpCache::kWarm ? "" : ", " + to_string(row.cache);
  return fmt::format("{} {}, {}{}{} on {}", row.op, row.sizes, to_string(row.type), direction, cache,
                     row.device);
}

std::string line_of(const Problem& problem) {
  const std::string more = problem.rows > 1 ? fmt::format(" (and {} more)", problem.rows - 1) : "";
  return fmt::format("{}{}: {}\n", name_of(*problem.row), more, problem.what);
}

}  // namespace

std::string ops_table(const std::vector<OpRecord>& rows) {
  TextTable table;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Field<OpRecord>& field : op_fields()) {
    if (!is_shown(field, rows)) continue;
    table.add_column(field.label, field.values.is_number() ? Align::kRight : Align::kLeft);
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i].push_back(cell_text(field, rows[i]));
  }
  for (auto& row : cells) table.add_row(std::move(row));
  return table.to_string();
}

std::string ops_matrix(const std::vector<OpRecord>& rows) {
  std::string text;
  for (const std::string& device : distinct(rows, device_of)) {
    std::vector<OpRecord> of_device;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(of_device),
                 [&](const OpRecord& row) { return row.device == device; });
    text += (text.empty() ? "" : "\n") + device + "\n" + matrix_of_device(of_device);
  }
  const bool has_slow = any(rows, [](const OpRecord& row) { return is_slow(row); });
  return text + (has_slow ? "slow: below 1 % of what its bound allows\n" : "");
}

std::string ops_problems(const std::vector<OpRecord>& rows) {
  std::vector<Problem> problems;
  for (const OpRecord& row : rows) {
    const std::string message = row.status_reason.empty() ? "" : ": " + row.status_reason;
    if (row.status != RowStatus::kOk) note(problems, row, to_string(row.status) + message);
    for (const Warning& warning : row.warnings) note(problems, row, warning.text);
  }
  std::string text;
  for (const Problem& problem : problems) text += line_of(problem);
  return text;
}

}  // namespace gpubench
