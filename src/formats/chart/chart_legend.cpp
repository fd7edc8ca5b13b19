#include "formats/chart/chart_legend.h"

#include <fmt/format.h>

#include "formats/chart/chart_ink.h"
#include "formats/chart/chart_looks.h"

namespace gpubench {
namespace {

constexpr double kRow = 20;
constexpr double kSwatch = 30;
constexpr double kBetween = 18;

std::string bar_swatch(std::size_t series, const std::string& id, double x, double y) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" {}/>\n", px(x), px(y - 5.5),
                     bar_fill(series, id));
}

std::string line_swatch(std::size_t series, bool has_line, double x, double y) {
  const std::string line = has_line ? line_between(x, y, x + 24, y, dash_class(series)) : "";
  return line + marker(series, x + 12, y) + "\n";
}

std::string swatch(const Chart& chart, std::size_t series, const std::string& id, double x, double y) {
  const bool has_line = chart.kind == ChartKind::kLines;
  return fmt::format(
      "<g class=\"{}\">\n{}</g>\n", series_class(series),
      chart.kind == ChartKind::kBars ? bar_swatch(series, id, x, y) : line_swatch(series, has_line, x, y));
}

}  // namespace

Strip legend(const Chart& chart, const std::string& id, double width) {
  if (chart.series.empty() || (chart.series.size() == 1 && chart.series.front().name.empty())) return {};
  Strip strip;
  double x = 0;
  double y = kRow / 2;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = shortened(chart.series[i].name, width - kSwatch);
    const double needed = kSwatch + text_width(name);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kRow;
    }
    strip.svg += swatch(chart, i, id, x, y) + text_at(x + kSwatch, y + kFontSize * 0.35, "", name);
    x += needed + kBetween;
  }
  strip.height = y + kRow / 2 + 8;
  return strip;
}

}  // namespace gpubench
