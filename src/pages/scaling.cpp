#include "pages/scaling.h"

#include <string_view>

#include "pages/words.h"

namespace gpubench {

std::string scaled_work(const ScalingRow& row, const RowNames& names) {
  const auto keys = row.kind == "weak" ? std::vector<std::string_view>{"ranks", "batch"}
                                       : std::vector<std::string_view>{"ranks"};
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
    series_called(name, chart.series)
        .points.push_back(point_of(static_cast<double>(row->ranks), efficiency_percent(*row)));
  }
  sort_points(chart.series);
  chart.notes = {"throughput of all ranks over that of one by itself, and over their number"};
  return chart;
}

}  // namespace gpubench
