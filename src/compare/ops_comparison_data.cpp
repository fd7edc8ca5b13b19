#include <fmt/format.h>

#include "compare/op_names.h"
#include "compare/ops_duel_tables.h"

namespace gpubench {
namespace {

Cell number(double value) { return {fmt::format("{}", value), value}; }

Cell nothing(const std::string& why) { return {"", {}, why, Tone::kMuted}; }

Cell seconds_cell(const Reading<Estimate>& time) {
  return time.has_value() ? number(time.value().value) : nothing(time.reason());
}

Cell status_of(const OpRecord* row) { return {row == nullptr ? "" : to_string(row->status)}; }

void add_ratio(std::vector<Cell>& row, const Reading<Estimate>& ratio) {
  if (!ratio.has_value()) {
    row.insert(row.end(), 4, nothing(ratio.reason()));
    return;
  }
  const Reading<Interval>& interval = ratio.value().interval;
  row.push_back(number(ratio.value().value));
  row.push_back(interval.has_value() ? number(interval.value().low) : nothing(interval.reason()));
  row.push_back(interval.has_value() ? number(interval.value().high) : nothing(interval.reason()));
  row.push_back(number(100 * (ratio.value().value - 1)));
}

void add_pair(Table& table, const OpsSide& base, const OpsSide& other, const OpPair& pair) {
  const OpRecord& any = pair.any();
  std::vector<Cell> row = {{base.name},
                           {base.device},
                           {other.name},
                           {other.device},
                           {any.op},
                           {any.sizes},
                           {to_string(any.type)},
                           {to_string(any.direction)},
                           {to_string(any.cache)},
                           status_of(pair.base),
                           status_of(pair.other),
                           seconds_cell(pair.base_time),
                           seconds_cell(pair.other_time)};
  add_ratio(row, pair.ratio);
  table.rows.push_back(std::move(row));
}

/// What sets the rows of one operation and size apart.
OpNames names_of(std::span<const NamedOps> tables) {
  std::vector<OpRecord> rows;
  for (const NamedOps& table : tables) {
    for (const OpRecord& row : table.ops.rows) {
      OpRecord asked;
      asked.type = row.type;
      asked.direction = row.direction;
      asked.cache = row.cache;
      rows.push_back(std::move(asked));
    }
  }
  return OpNames(rows);
}

Reading<Estimate> rate(double flop, const Reading<Estimate>& time) {
  if (!time.has_value()) return time;
  if (flop <= 0) return absent("the operation only moves data");
  return ratio_of({flop, Interval{flop, flop}}, time.value());
}

void add_figure(Table& table, const std::string& figure, const NamedOps& source, const OpRecord& row,
                const std::string& variant, const Reading<Estimate>& value) {
  const bool has_interval = value.has_value() && value.value().interval.has_value();
  table.rows.push_back({{figure},
                        {source.name},
                        {source.ops.environment.host},
                        {row.device},
                        {source.ops.published ? source.ops.published->title : ""},
                        {row.op},
                        {row.sizes},
                        {to_string(row.type)},
                        {to_string(row.direction)},
                        {to_string(row.cache)},
                        {variant},
                        {to_string(row.status)},
                        {row.status_message},
                        value.has_value() ? number(value.value().value) : nothing(value.reason()),
                        has_interval ? number(value.value().interval.value().low) : Cell{""},
                        has_interval ? number(value.value().interval.value().high) : Cell{""}});
}

}  // namespace

Table ops_figures(std::span<const NamedOps> tables) {
  Table table{"",
              {{"figure"},
               {"file"},
               {"host"},
               {"device"},
               {"publication"},
               {"op"},
               {"sizes"},
               {"type"},
               {"direction"},
               {"cache"},
               {"variant"},
               {"status"},
               {"status_message"},
               {"value"},
               {"low"},
               {"high"}},
              {}};
  const OpNames names = names_of(tables);
  for (const NamedOps& source : tables) {
    for (const OpRecord& row : source.ops.rows) {
      const std::string variant = names.variant(row);
      const Reading<Estimate> time = usable_time(row);
      add_figure(table, "call_seconds", source, row, variant, time);
      add_figure(table, "flops_per_second", source, row, variant, rate(row.flop, time));
    }
  }
  return table;
}

Table ops_comparison_data(const OpsContest& contest) {
  Table table;
  for (const char* name : {"baseline", "baseline_device", "file", "device", "op", "sizes", "type",
                           "direction", "cache", "baseline_status", "status"}) {
    table.columns.push_back({name});
  }
  for (const char* name : {"baseline_call_seconds", "median_call_seconds", "ratio", "ratio_low", "ratio_high",
                           "speed_up_percent"}) {
    table.columns.push_back({name, "", true});
  }
  for (const OpsDuel& duel : contest.duels) {
    for (const OpPair& pair : duel.pairs)
      add_pair(table, contest.base_of(duel), contest.other_of(duel), pair);
  }
  return table;
}

}  // namespace gpubench
