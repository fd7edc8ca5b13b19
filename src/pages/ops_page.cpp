#include "pages/ops_page.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/op_case.h"
#include "pages/environment.h"
#include "pages/format.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

using Rows = std::vector<OpRecord>;

constexpr std::size_t kMostLongest = 3;

std::string make_name(const OpRecord& row, const RowNames& names) {
  return one_line(names.of(make_identity(row)));
}

std::string outcome_text(const Rows& rows) {
  std::map<RowStatus, std::size_t> counts;
  for (const OpRecord& row : rows) ++counts[row.status];
  if (counts.size() == 1 && counts.contains(RowStatus::kOk)) {
    return rows.size() == 1 ? "Its one row is ok" : fmt::format("All {} rows are ok", rows.size());
  }
  const auto to_text = [](const auto& entry) {
    return fmt::format("{} {}", entry.second, to_string(entry.first));
  };
  return fmt::format("Of {}: {}", counted(rows.size(), "row"), join(mapped(counts, to_text)));
}

Paragraph what_was_run(const OpsRecord& ops) {
  if (ops.rows.empty()) return caution("The file has no row: nothing was measured, or nothing yet.");
  const std::string where = whereabouts(list_devices(ops.rows), "", ops.tool, ops.environment);
  return {fmt::format("{} {}.", where, outcome_text(ops.rows))};
}

/// "Nearest to the peak: matmul ... at 78 %; to the bandwidth of memory: ..."
void add_best(std::vector<Paragraph>& summary, const Rows& rows, const RowNames& names) {
  std::vector<std::string> parts;
  const auto add = [&](const char* to_what, Measured<double> (*to_share)(const OpRecord&)) {
    std::optional<std::pair<double, const OpRecord*>> best;
    for (const OpRecord& row : rows) {
      const Measured<double> share = to_share(row);
      if (row.status != RowStatus::kOk || !share.has_value()) continue;
      if (!best || share.value() > best->first) best = {share.value(), &row};
    }
    if (!best) return;
    parts.push_back(
        fmt::format("{}: {} at {}", to_what, make_name(*best->second, names), percent_text(best->first)));
  };
  add("to the best product of the device", flops_share);
  add("to the bandwidth of its memory", bandwidth_share);
  if (!parts.empty()) summary.push_back({"Nearest " + join(parts, "; ") + "."});
}

void add_longest(std::vector<Paragraph>& summary, const Rows& rows, const RowNames& names) {
  std::vector<std::pair<double, const OpRecord*>> times;
  for (const OpRecord& row : rows) {
    const Measured<Estimate> time = usable_time(row);
    if (time.has_value()) times.emplace_back(time.value().value, &row);
  }
  if (times.size() < 2) return;
  std::ranges::stable_sort(times, std::greater(), [](const auto& timed) { return timed.first; });
  std::vector<std::string> parts;
  std::set<std::string> named;  // Of repetitions the longest.
  for (const auto& [seconds, row] : times) {
    const std::string name = make_name(*row, names);
    if (parts.size() == kMostLongest || !named.insert(name).second) continue;
    parts.push_back(name + " with " + prefixed_text(seconds, "s"));
  }
  summary.push_back({"Longest calls: " + join(parts, "; ") + "."});
}

void add_bounds(std::vector<Paragraph>& summary, const Rows& rows) {
  std::map<std::string, std::size_t> counts;
  for (const OpRecord& row : rows) {
    const Measured<std::string> held = bottleneck(row);
    if (row.status == RowStatus::kOk && held.has_value()) ++counts[held.value()];
  }
  if (counts.empty()) return;
  const auto to_text = [](const auto& entry) {
    return fmt::format("{} {}", entry.first, counted(entry.second, "row"));
  };
  summary.push_back({"Limited by: " + join(mapped(counts, to_text)) + "."});
}

/// A wrong result is the worst news, a row that does not fit the least.
void add_failures(std::vector<Paragraph>& cautions, const Rows& rows, const RowNames& names) {
  std::map<RowStatus, std::vector<std::string>> failed;
  for (const OpRecord& row : rows) {
    if (row.status != RowStatus::kOk) failed[row.status].push_back(make_name(row, names));
  }
  for (const auto& [status, who] : failed) {
    cautions.push_back(
        {fmt::format("Not ok, {}: {}.", to_string(status), counted(who)), tone_of_failure(status)});
  }
}

void add_slow(std::vector<Paragraph>& cautions, const Rows& rows, const RowNames& names) {
  std::vector<std::string> slow;
  for (const OpRecord& row : rows) {
    if (is_slow(row)) slow.push_back(make_name(row, names));
  }
  if (!slow.empty())
    cautions.push_back(caution("Slow, below 1 % of what their nearest bound allows: {}.", counted(slow)));
}

void add_warnings(std::vector<Paragraph>& cautions, const Rows& rows) {
  const auto warned = std::ranges::count_if(rows, [](const OpRecord& row) { return !row.warnings.empty(); });
  if (warned == 0) return;
  cautions.push_back(caution("The times of {} of {} are doubtful; see the warnings below the table.", warned,
                             counted(rows.size(), "row")));
}

/// What was measured and how well it went, then what to mind.
std::vector<Paragraph> ops_summary(const OpsRecord& ops) {
  const RowNames names(make_identities(ops.rows));
  std::vector<Paragraph> summary = publication_cautions(ops.published);
  summary.push_back(what_was_run(ops));
  add_best(summary, ops.rows, names);
  add_longest(summary, ops.rows, names);
  add_bounds(summary, ops.rows);
  add_failures(summary, ops.rows, names);
  add_slow(summary, ops.rows, names);
  add_warnings(summary, ops.rows);
  if (ops.published || ops.settings.protocol != "s4") return summary;
  summary.push_back(caution(
      "Protocol s4: each time is that of a single call after one other, so that none has an interval."));
  return summary;
}

}  // namespace

Tone tone_of_failure(RowStatus status) {
  const bool is_bad =
      status == RowStatus::kIncorrect || status == RowStatus::kError || status == RowStatus::kCrashed;
  return is_bad ? Tone::kBad : Tone::kWarning;
}

Page ops_page(const OpsRecord& ops, const std::string& name) {
  Page page{name, ops_summary(ops), op_sections(ops), record_data(op_fields(), ops.rows, name)};
  if (!ops.published) add_environment(page.sections, ops.tool, ops.environment, false);
  return page;
}

namespace {

using Rows = std::vector<OpRecord>;

/// "slow" for a row that is ok and slow, else the status; with its tone, and what is to be said about it.
Cell status_cell(const OpRecord& row) {
  if (row.status == RowStatus::kOk) {
    if (!is_slow(row)) return {"ok", {}, one_line(row.status_reason), Tone::kGood};
    return {"slow", {}, "reaches less than 1 % of what its nearest bound allows", Tone::kWarning};
  }
  const std::string name = to_string(row.status);
  return {name, {}, one_line(row.status_reason), tone_of_failure(row.status)};
}

Cell figure_cell(const Field<OpRecord>& field, const OpRecord& row) {
  const FieldValue value = field.get(row);
  if (const Missing* why = std::get_if<Missing>(&value)) return no_figure(why->reason);
  if (const auto* text = std::get_if<std::string>(&value)) return {one_line(*text)};
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return {std::to_string(*whole), static_cast<double>(*whole)};
  }
  const double number = std::get<double>(value);
  if (!std::isfinite(number)) return no_figure("not a finite number");
  if (field.unit == "fraction") return {percent_text(number), number};
  return {field.unit.empty() ? fmt::format("{:.1e}", number) : prefixed_text(number, field.unit), number};
}

Cell make_cell(const Field<OpRecord>& field, const OpRecord& row) {
  if (field.key == "status") return status_cell(row);
  Cell cell = figure_cell(field, row);
  if (field.key == "bottleneck" && cell.text == kNoBound)
    cell.text += fmt::format(" ({:.0f} % of the time unexplained)", 100 * unexplained_share(row).value());
  if (!cell.value) return cell;
  if (field.key == "median_call_seconds" && !row.warnings.empty()) cell.tone = Tone::kWarning;
  return cell;
}

std::vector<std::string> list_warnings(const Rows& rows) {
  const RowNames names(make_identities(rows));
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Warning& warning : rows[i].warnings) add_warning(warning, i, groups);
  }
  return mapped(groups, [&](const WarningGroup& group) {
    const std::size_t more = group.rows.size() - 1;
    const std::string first = names.of(make_identity(rows[group.rows.front()]));
    return fmt::format("warning: {} ({}{})", one_line(group.worst.text), one_line(first),
                       more == 0 ? "" : fmt::format(" and {} more", more));
  });
}

bool has_collectives(const Rows& rows) {
  return std::ranges::any_of(rows, [](const OpRecord& row) { return row.ranks > 1; });
}

/// A row an operation and size, in units that suit the figure.
Table op_rows_table(const Rows& rows) {
  Columns<OpRecord> columns(rows);
  for (const Field<OpRecord>& field : op_fields()) {
    if (field.shown == Shown::kInFile) continue;
    if (field.shown == Shown::kInTableOfRepeats && !has_repeats(rows)) continue;
    if (!has_collectives(rows) && (field.group == "ranks" || field.key == "world_size")) continue;
    const auto make_known_cell = [&](const OpRecord& row) {
      Cell cell = make_cell(field, row);
      // Why a row that did not end well has no figure is said in its status.
      if (cell.text == "-" && row.status != RowStatus::kOk) cell.note.clear();
      return cell;
    };
    columns.add_known({field.label, "", field.values.is_number()}, make_known_cell,
                      make_cell(field, find_representative(rows)).note);
  }
  Table table = folded(columns.take("", columns.absences()));
  append(table.notes, list_warnings(rows));
  return table;
}

/// The line of the matrix for what `name` is about, which is new where there is none yet.
std::vector<Cell>& make_line(Table& table, const std::string& name) {
  const auto found = std::ranges::find_if(table.rows, [&](const auto& row) { return row[0].text == name; });
  if (found != table.rows.end()) return *found;
  std::vector<Cell> line(table.columns.size(), Cell{"-", {}, "was not run", Tone::kMuted});
  line.front() = {name};
  return table.rows.emplace_back(std::move(line));
}

bool has_word(const Table& table, const std::string& word) {
  return std::ranges::any_of(
      table.rows, [&](const auto& row) { return std::ranges::find(row, word, &Cell::text) != row.end(); });
}

/// The types of the rows, in the order of all_op_types().
std::vector<OpType> list_types(const Rows& rows) {
  std::vector<OpType> types = all_op_types();
  std::erase_if(types, [&](OpType type) { return std::ranges::count(rows, type, &OpRecord::type) == 0; });
  return types;
}

/// Operations by types: how each ended.
Table op_matrix_table(const Rows& rows) {
  const RowNames names(make_identities(rows));
  const std::vector<OpType> types = list_types(rows);
  Table table{"", {{"operation"}}, {}, {}};
  for (const OpType type : types) table.columns.push_back({to_string(type)});
  for (const OpRecord& row : rows) {
    const auto place = static_cast<std::size_t>(std::ranges::find(types, row.type) - types.begin());
    const std::string name = one_line(names.of(make_identity(row).without({"type"})));
    make_line(table, name)[place + 1] = status_cell(row);
  }
  if (has_word(table, "slow")) {
    table.notes.push_back(
        "slow: ok, yet less than 1 % of what its nearest bound allows; whole numbers are held against the "
        "peak of "
        "fp32");
  }
  if (has_word(table, "incorrect")) table.notes.push_back("incorrect: not what fp64 on the CPU gives");
  if (has_word(table, "cpu-fallback")) table.notes.push_back("cpu-fallback: it ran on another device");
  return table;
}

/// Rows of the first matrix; nothing for sizes that are none, as a file of others may have.
std::optional<double> get_size(const OpRecord& row) {
  try {
    const OpCase sizes = parse_op_case(row.sizes, "sizes");
    if (sizes.tensors.empty() || sizes.tensors[0].empty()) return std::nullopt;
    return static_cast<double>(sizes.tensors[0][0]);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// FLOP/s would have a dozen digits.
/// Of which type and in what manner: what a line of a sweep is about.
std::string format_variant(const OpRecord& row, const RowNames& names) {
  const std::string name = names.of(make_identity(row).without({"op", "sizes"}));
  return name.empty() ? to_string(row.type) : one_line(name);
}

/// FLOP/s of square products by their size, a line a type; without points where no row has both.
Chart op_sweep_chart(const Rows& rows) {
  const RowNames names(make_identities(rows));
  Chart chart{"Square matrix products",
              ChartKind::kLines,
              {"rows of a matrix", "", true},
              {"rate", "GFLOP/s", true},
              {}};
  for (const OpRecord& row : rows) {
    const std::optional<double> size = get_size(row);
    const Measured<Estimate> time = usable_time(row);
    if (!size || !time.has_value() || !(row.flop > 0)) continue;
    series_called(format_variant(row, names), chart.series)
        .points.push_back(make_point(*size, compute_rate(row.flop / kGiga, time.value())));
  }
  sort_points(chart.series);
  return chart;
}

/// A row for each operation of which several repetitions have a time.
Table repetitions_table(const OpsRecord& ops) {
  std::vector<RowFigures> rows = make_rows(ops);
  std::erase_if(
      rows, [](const RowFigures& row) { return row.process_seconds.size() < 2 || !row.seconds.has_value(); });
  const RowNames names(make_identities(ops.rows));
  Columns<RowFigures> table(rows);
  table.add({"operation"}, [&](const RowFigures& row) { return one_line(names.of(row.identity)); });
  table.add({"repetitions", "", true},
            [](const RowFigures& row) { return count_cell(row.process_seconds.size()); });
  table.add({"median", "", true},
            [](const RowFigures& row) { return duration_cell(row.seconds.value().value); });
  table.add({"± if run again", "", true}, [](const RowFigures& row) {
    const Measured<double> known = halfwidth_between_runs(row.process_seconds.values);
    return known.has_value() ? Cell{percent_text(known.value()), known.value()}
                             : Cell{"unknown", {}, known.reason(), Tone::kMuted};
  });
  table.add({"lowest", "", true}, [](const RowFigures& row) {
    return duration_cell(std::ranges::min(row.process_seconds.values));
  });
  table.add({"highest", "", true}, [](const RowFigures& row) {
    return duration_cell(std::ranges::max(row.process_seconds.values));
  });
  return table.take(
      "",
      {"Median, lowest and highest of the medians of repetitions that ended well; ± if run again: half the "
       "95 % interval of that median, from three repetitions on."});
}

}  // namespace

std::vector<Section> op_sections(const OpsRecord& ops) {
  if (ops.rows.empty()) return {{"Operations", {Paragraph{"The file has no row."}}}};
  std::vector<Section> sections;
  // Whoever asked for the sweep or the matrix looks for that first.
  if (ops.settings.kind == "net") add_network(sections, ops);
  if (ops.settings.kind == "sweep") add_section(sections, "Sweep", op_sweep_chart(ops.rows));
  if (list_types(ops.rows).size() > 1)
    add_section(sections, "Operations by types", op_matrix_table(ops.rows));
  add_section(sections, "Operations", op_rows_table(ops.rows));
  if (has_repeats(ops.rows)) add_section(sections, "Repetitions", repetitions_table(ops));
  return sections;
}

}  // namespace gpubench
