#include <algorithm>
#include <optional>

#include "compare/op_names.h"
#include "compare/ops_sections.h"
#include "gpubench/core/error.h"
#include "gpubench/record/op_case.h"

namespace gpubench {
namespace {

/// Rows of the first matrix; nothing for sizes that are none, as a file of others may have.
std::optional<double> size_of(const OpRecord& row) {
  try {
    const OpCase sizes = parse_op_case(row.sizes, "sizes");
    if (sizes.tensors.empty() || sizes.tensors[0].empty()) return std::nullopt;
    return static_cast<double>(sizes.tensors[0][0]);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// FLOP/s would have a dozen digits.
constexpr double kUnit = 1e9;

/// A long call is a low rate: the ends of the interval change places.
std::optional<Point> point_of(const OpRecord& row) {
  const std::optional<double> size = size_of(row);
  const Reading<Estimate> time = usable_time(row);
  if (!size || !time.has_value() || !(row.flop > 0)) return std::nullopt;
  const double work = row.flop / kUnit;
  Point point{*size, work / time.value().value};
  const Reading<Interval>& interval = time.value().interval;
  if (interval.has_value() && interval.value().low > 0) {
    point.low = work / interval.value().high;
    point.high = work / interval.value().low;
  }
  return point;
}

std::vector<Point>& points_of(Chart& chart, const std::string& name) {
  const auto found = std::find_if(chart.series.begin(), chart.series.end(),
                                  [&](const Series& series) { return series.name == name; });
  if (found != chart.series.end()) return found->points;
  chart.series.push_back({name, {}});
  return chart.series.back().points;
}

}  // namespace

Chart op_sweep_chart(const std::vector<OpRecord>& rows) {
  const OpNames names(rows);
  Chart chart{"Square matrix products",
              ChartKind::kLines,
              {"rows of a matrix", "", true},
              {"rate", "GFLOP/s", true},
              {}};
  for (const OpRecord& row : rows) {
    const std::optional<Point> point = point_of(row);
    if (point) points_of(chart, names.variant(row)).push_back(*point);
  }
  for (Series& series : chart.series) {
    std::sort(series.points.begin(), series.points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return chart;
}

}  // namespace gpubench
