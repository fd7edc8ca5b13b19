#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

using Rows = std::vector<OpRecord>;

/// FLOP/s or bytes/s per unit of the charts.
constexpr double kGiga = 1e9;

constexpr const char* kSlowMeaning = "over 100 times slower than peak, bandwidth and launches allow";

std::string make_name(const OpRecord& row, const RowNames& names) {
  return one_line(names.of(make_identity(row)));
}

/// Adds "Nearest to the peak FLOP/s: matmul ... at 78 %; to the memory bandwidth: ...".
void add_best(std::vector<Paragraph>& summary, const Rows& rows, const RowNames& names) {
  std::vector<std::string> parts;
  for (const auto& [target, compute_share] :
       {std::pair{"to the peak FLOP/s", &flops_share}, {"to the memory bandwidth", &bandwidth_share}}) {
    const auto find_share = [compute = compute_share](const OpRecord& row) {
      return row.status == RowStatus::kOk ? compute(row).value_or(0) : 0;
    };
    const OpRecord& best = *std::ranges::max_element(rows, {}, find_share);
    if (find_share(best) > 0)
      parts.push_back(
          fmt::format("{}: {} at {}", target, make_name(best, names), percent_text(find_share(best))));
  }
  if (!parts.empty()) summary.push_back({"Nearest " + join(parts, "; ") + "."});
}

std::vector<Paragraph> ops_summary(const RunRecord& ops, const RowNames& names) {
  std::vector<Paragraph> summary = publication_cautions(ops.published);
  if (ops.operations.empty()) {
    summary.push_back(caution("The file has no rows: nothing has been measured yet."));
    return summary;
  }
  summary.push_back({fmt::format("{} {} of {} ok.", describe_place(list_devices(ops.operations), ops),
                                 std::ranges::count(ops.operations, RowStatus::kOk, &OpRecord::status),
                                 counted(ops.operations.size(), "row"))});
  add_best(summary, ops.operations, names);
  std::map<RowStatus, std::vector<std::string>> failed;
  std::vector<std::string> slow;
  for (const OpRecord& row : ops.operations) {
    // Repeats of a row often fail together.
    if (row.status != RowStatus::kOk) add_once(failed[row.status], make_name(row, names));
    if (is_slow(row)) slow.push_back(make_name(row, names));
  }
  const auto to_text = [](const auto& one) { return to_string(one.first) + ": " + counted(one.second); };
  if (!failed.empty())
    summary.push_back({"Not ok: " + join(mapped(failed, to_text), ". ") + ".", Tone::kBad});
  if (!slow.empty()) summary.push_back(caution("Slow ({}): {}.", kSlowMeaning, counted(slow)));
  if (!ops.published && ops.operations.front().protocol == OpProtocol::kS4) {
    summary.push_back(
        caution("Protocol s4: each time is a single call after one warm-up call, so intervals are unknown."));
  }
  return summary;
}

Cell status_cell(const OpRecord& row) {
  if (is_slow(row)) return {"slow", {}, kSlowMeaning, Tone::kWarning};
  return {to_string(row.status), {}, one_line(row.status_reason), find_tone(row.status)};
}

Cell make_cell(const Field<OpRecord>& field, const OpRecord& row, double /*factor*/) {
  if (field.key == "status") return status_cell(row);
  const FieldValue value = field.get(row);
  const std::string why = why_absent(value);
  // The status of a failed row explains its missing figures.
  if (!why.empty() || std::holds_alternative<Missing>(value))
    return no_figure(row.status == RowStatus::kOk ? why : "");
  if (const double* number = std::get_if<double>(&value)) {
    if (field.unit == "fraction") return {percent_text(*number), *number};
    const bool is_doubtful = field.key == "median_call_seconds" && !row.warnings.empty();
    return {field.unit.empty() ? fmt::format("{:.1e}", *number) : prefixed_text(*number, field.unit), *number,
            "", is_doubtful ? Tone::kWarning : Tone::kPlain};
  }
  Cell cell = field_cell(value, field, 1);
  if (field.key == "bottleneck" && cell.text == kNoBound) cell.text = "unclear";
  return cell;
}

std::vector<std::string> list_warnings(const Rows& rows, const RowNames& names) {
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Warning& warning : rows[i].warnings) add_warning(warning, i, groups);
  }
  return mapped(groups, [&](const WarningGroup& group) {
    const std::size_t more = group.rows.size() - 1;
    return fmt::format("warning: {} ({}{})", one_line(group.worst.text),
                       make_name(rows[group.rows.front()], names),
                       more == 0 ? "" : fmt::format(" and {} more", more));
  });
}

Table rows_table(const Rows& rows, const RowNames& names) {
  const auto ok = std::ranges::find(rows, RowStatus::kOk, &OpRecord::status);
  const OpRecord& typical = ok == rows.end() ? rows.front() : *ok;
  std::vector<Field<OpRecord>> fields(op_fields().begin(), op_fields().end());
  const auto status = std::ranges::find(fields, "status", &Field<OpRecord>::key);
  std::ranges::stable_sort(status + 1, fields.end(), {}, &Field<OpRecord>::table_rank);
  const auto get_value = [](const Field<OpRecord>& field, const OpRecord& row) { return field.get(row); };
  Table table = fields_table(fields, rows, typical, get_value, make_cell);
  bool is_detail = false;
  for (Column& column : table.columns) {
    column.unit.clear();  // Is part of the cells.
    column.is_detail = is_detail && column.heading != "median" && column.heading != "±";
    is_detail = is_detail || column.heading == "status";
  }
  table = folded(std::move(table));
  table.notes.emplace_back("±: half of the 95 % interval of the median within one process");
  append(table.notes, list_warnings(rows, names));
  return table;
}

/// Makes a row per operation and a column per type; no row for a single type.
Table matrix_table(const Rows& rows, const RowNames& names) {
  std::vector<OpType> types = all_op_types();
  std::erase_if(types, [&](OpType type) { return std::ranges::count(rows, type, &OpRecord::type) == 0; });
  if (types.size() < 2) return {};
  Table table{"", {{"operation"}}, {}, {}};
  for (const OpType type : types) table.columns.push_back({to_string(type)});
  std::map<std::string, std::size_t> lines;
  std::map<std::string, std::string> notes = {
      {"slow", std::string("ok, but ") + kSlowMeaning + "; integers are compared with the fp32 peak"},
      {"incorrect", "differs from the fp64 result on the CPU by more than the tolerance"},
      {"cpu-fallback", "ran on the CPU instead of the device"}};
  for (const OpRecord& row : rows) {
    const std::string name = one_line(names.of(make_identity(row).without({"type"})));
    const auto [line, is_new] = lines.emplace(name, table.rows.size());
    if (is_new) {
      table.rows.emplace_back(table.columns.size(), Cell{"-", {}, "not run", Tone::kMuted});
      table.rows.back().front() = {name};
    }
    const auto place = static_cast<std::size_t>(std::ranges::find(types, row.type) - types.begin());
    const Cell& cell = table.rows[line->second][place + 1] = status_cell(row);
    if (notes.contains(cell.text)) add_once(table.notes, cell.text + ": " + notes[cell.text]);
  }
  return table;
}

/// Makes a chart of the FLOP/s of square products by size, a line per type.
Chart sweep_chart(const Rows& rows, const RowNames& names) {
  Chart chart{"Square matrix products",
              ChartKind::kLines,
              {"rows per matrix", "", true},
              {"rate", "GFLOP/s", true},
              {}};
  for (const OpRecord& row : rows) {
    const std::optional<std::int64_t> size = parse_whole(row.sizes.substr(0, row.sizes.find('x')));
    const Measured<Estimate> time = call_time(row);
    const bool is_usable = row.status == RowStatus::kOk && time.has_value() && time.value().value > 0;
    if (!size || !is_usable || !(row.flop > 0)) continue;
    const std::string variant = one_line(names.of(make_identity(row).without({"op", "sizes"})));
    add_point(chart.series, variant.empty() ? to_string(row.type) : variant,
              make_point(static_cast<double>(*size), scaled(inverted(time.value()), row.flop / kGiga)));
  }
  return chart;
}

/// Returns a row per operation with at least two successful repeats.
Table repeats_table(const RunRecord& ops, const RowNames& names) {
  using Row = ComparedRow;
  const auto calls = [](const Row& row) -> const std::vector<double>& {
    return row.find("median_call_seconds")->costs;
  };
  std::vector<Row> rows = make_rows(ops);
  std::erase_if(rows, [&](const Row& row) { return calls(row).size() < 2; });
  Columns<Row> table(rows);
  table.text("operation", [&](const Row& row) { return one_line(names.of(row.identity)); });
  table.number("repeats", "", [&](const Row& row) { return calls(row).size(); });
  table.number("median", "",
               [](const Row& row) { return duration_cell(typical_seconds(row).then(&Estimate::value)); });
  table.number("±", "", [&](const Row& row) {
    Cell cell = percent_cell(halfwidth_between_runs(calls(row)));
    if (!cell.value) cell.text = "unknown";
    return cell;
  });
  table.number("lowest", "", [&](const Row& row) { return duration_cell(std::ranges::min(calls(row))); });
  table.number("highest", "", [&](const Row& row) { return duration_cell(std::ranges::max(calls(row))); });
  return table.take("", {"Median, lowest and highest of the medians of the successful repeats",
                         "±: half-width of the 95 % interval of the median; needs --repeat 3"});
}

Chart bytes_chart(const std::string& title, Axis y, double unit, const RunRecord& ops, const RowNames& names,
                  Measured<double> (*figure)(const OpRecord&)) {
  Chart chart{title, ChartKind::kLines, {"message size", "B", true}, std::move(y), {}};
  for (const OpRecord& row : ops.operations) {
    const Measured<double> value = figure(row);
    if (row.status != RowStatus::kOk || !value.has_value() || !row.traffic.has_value()) continue;
    add_point(chart.series, one_line(names.of(make_identity(row).without({"sizes"}))),
              {static_cast<double>(row.traffic.value().value), value.value() / unit});
  }
  return chart;
}

Table fit_table(const std::vector<LatencyFit>& fits) {
  using Fit = LatencyFit;
  Columns<Fit> table(fits);
  table.text("collective", &Fit::op);
  table.number("ranks", "", &Fit::ranks);
  table.text("backend", &Fit::backend);
  table.number("latency", "", [](const Fit& fit) { return duration_cell(fit.latency_seconds); });
  table.number("bandwidth", "", [](const Fit& fit) {
    return Cell{prefixed_text(fit.bytes_per_second, "B/s"), fit.bytes_per_second};
  });
  table.number("largest error", "", [](const Fit& fit) { return percent_cell(fit.worst); });
  return table.take("", {"Model: time = latency + message size / bandwidth, fitted by relative errors",
                         "A large error means that the model does not describe this network"});
}

}  // namespace

Page ops_outcome(const RunRecord& ops) {
  const RowNames names(make_identities(ops.operations));
  Page page{"", ops_summary(ops, names), {}, {}};
  std::vector<Section>& sections = page.sections;
  if (ops.operations.empty()) return page;
  // Collectives, a sweep or a matrix answer the user's question, so they come first.
  if (ops.plan.kind == "net") {
    add_section(sections, "Latency and bandwidth", fit_table(latency_fits(ops)));
    add_section(sections, "Bus bandwidth",
                bytes_chart("Bus bandwidth by message size", {"bus bandwidth", "GB/s", true}, kGiga, ops,
                            names, bus_bytes_per_second));
    add_section(sections, "Time",
                bytes_chart("Time by message size", {"time", "s", true}, 1, ops, names,
                            [](const OpRecord& row) { return call_time(row).then(&Estimate::value); }));
  }
  if (ops.plan.kind == "sweep") add_section(sections, "Sweep", sweep_chart(ops.operations, names));
  add_section(sections, "Operations by type", matrix_table(ops.operations, names));
  add_section(sections, "Operations", rows_table(ops.operations, names));
  if (has_repeats(ops.operations)) add_section(sections, "Repeats", repeats_table(ops, names));
  return page;
}

}  // namespace gpubench
