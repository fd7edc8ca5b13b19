// Gains of several ranks.

#include <string_view>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// Parts of a median epoch of each case.
Chart parts_chart(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  Chart chart{"Epoch by part", ChartKind::kBars, {"case"}, {"time of an epoch", "s"}, {}};
  for (const CaseRecord& c : cases) {
    const Measured<double> share = communication_share(c);
    const Measured<Summary> summary = epoch_summary(c);
    if (!share.has_value() || !summary.has_value()) continue;
    const double epoch = summary.value().median;
    add_bar(chart, "computing, or waiting for a slower rank", names.one(c),
            Estimate{epoch * (1 - share.value())});
    add_bar(chart, "waiting for exchanges", names.one(c), Estimate{epoch * share.value()});
  }
  chart.notes = {"of the rank that waited least"};
  return chart;
}

}  // namespace

std::string scaled_work(const ScalingRow& row, const RowNames& names) {
  const auto keys = row.kind == "weak" ? std::vector<std::string_view>{"world_size", "batch_size"}
                                       : std::vector<std::string_view>{"world_size"};
  return one_line(names.of(row.identity.without(keys))) + ", " + row.kind;
}

Estimate efficiency_percent(const ScalingRow& row) {
  return {100 * row.efficiency, row.interval.then([](const Interval& ends) {
            return Interval{100 * ends.low, 100 * ends.high};
          })};
}

Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names) {
  Chart chart{"Efficiency by ranks", ChartKind::kLines, {"ranks", "", true}, {"efficiency", "%"}, {}, 100.0};
  for (const auto& [owner, row] : rows) {
    const std::string name = (owner.empty() ? "" : owner + ", ") + scaled_work(*row, names);
    add_point(chart.series, name, make_point(static_cast<double>(row->ranks), efficiency_percent(*row)));
  }
  sort_points(chart.series);
  chart.notes = {"throughput of all ranks over that of one by itself, and over their number"};
  return chart;
}

Table scaling_table(const RunRecord& run) {
  const std::vector<ScalingRow> rows = compute_scaling(run);
  if (rows.empty()) return {};
  return record_table("What several ranks gain", scaling_fields(), rows, rows.front());
}

void add_ranks(std::vector<Section>& sections, const RunRecord& run) {
  const std::vector<RankRecord>& ranks = run.environment.ranks;
  if (ranks.empty()) return;
  const CaseNames names(run.cases);
  const std::vector<ScalingRow> rows = compute_scaling(run);
  const auto owned = mapped(rows, [](const ScalingRow& row) { return OwnedScaling{"", &row}; });
  add_section(sections, "Ranks", scaling_table(run), efficiency_chart(owned, names.rows()),
              parts_chart(run.cases, names),
              record_table("Who trained together", rank_fields(), ranks, ranks.front()));
}

}  // namespace gpubench
