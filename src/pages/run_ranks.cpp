#include <algorithm>
#include <cmath>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "pages/run_sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

Estimate percent_of(double value, const Reading<Interval>& interval) {
  return {100 * value, interval.then([](const Interval& ends) {
            return Interval{100 * ends.low, 100 * ends.high};
          })};
}

/// A line for each work that was scaled. A single rank is at 100 % by definition, and no point.
Chart efficiency_chart(const std::vector<ScalingRow>& rows, const CaseNames& names) {
  Chart chart{"Efficiency by ranks", ChartKind::kLines, {"ranks", "", true}, {"efficiency", "%"}, {}, 100.0};
  for (const ScalingRow& row : rows) {
    const auto keys = row.kind == "weak" ? std::vector<std::string_view>{"ranks", "batch"}
                                         : std::vector<std::string_view>{"ranks"};
    const std::string name = one_line(names.rows().of(row.identity.without(keys))) + ", " + row.kind;
    series_called(name, chart.series)
        .points.push_back(point_of(static_cast<double>(row.ranks), percent_of(row.efficiency, row.interval)));
  }
  sort_points(chart.series);
  chart.notes = {"throughput of all ranks over that of one by itself, and over their number"};
  return chart;
}

/// Parts of a median epoch of each case.
Chart parts_chart(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  Chart chart{"Epoch by part", ChartKind::kBars, {"case"}, {"time of an epoch", "s"}, {}};
  for (const CaseRecord& c : cases) {
    const Reading<double> share = communication_share(c);
    const Reading<Summary> summary = epoch_summary(c);
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

Table scaling_table(const RunRecord& run) {
  const std::vector<ScalingRow> rows = scaling_of(run);
  if (rows.empty()) return {};
  return record_table("What several ranks gain", scaling_fields(), rows, rows.front());
}

void add_ranks(std::vector<Section>& sections, const RunRecord& run) {
  const std::vector<RankRecord>& ranks = run.environment.ranks;
  if (ranks.empty()) return;
  const CaseNames names(run.cases);
  Section section{"Ranks", {}};
  if (Table scaling = scaling_table(run); !scaling.rows.empty())
    section.blocks.emplace_back(std::move(scaling));
  const std::vector<ScalingRow> rows = scaling_of(run);
  if (!rows.empty()) section.blocks.emplace_back(efficiency_chart(rows, names));
  if (Chart parts = parts_chart(run.cases, names); !parts.series.empty())
    section.blocks.emplace_back(std::move(parts));
  section.blocks.emplace_back(record_table("Who trained together", rank_fields(), ranks, ranks.front()));
  sections.push_back(std::move(section));
}

}  // namespace gpubench
