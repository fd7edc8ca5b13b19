#include <fmt/format.h>

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

}  // namespace

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
