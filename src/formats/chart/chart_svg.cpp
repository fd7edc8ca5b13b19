#include "formats/chart/chart.h"

#include <fmt/format.h>

#include "formats/chart/chart_ink.h"
#include "formats/parts/markup.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

std::string description(const Chart& chart) {
  const char* kind = chart.kind == ChartKind::kBars    ? "Bars"
                     : chart.kind == ChartKind::kLines ? "Lines"
                                                       : "Points";
  std::string text = fmt::format("{}: {} by {}", kind, chart.y.label, chart.x.label);
  if (!chart.series.empty()) text += "; " + join(names_in(chart.series));
  for (const Mark& mark : chart.marks) text += "; " + mark.text;
  return text + ".";
}

}  // namespace

Drawing draw_chart(const Chart& chart, const std::string& id, double width, const std::string& attributes) {
  Drawing drawing =
      chart.kind == ChartKind::kBars ? bar_chart(chart, id, width) : line_chart(chart, id, width);
  drawing.content = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-labelledby=\"{2}-title {2}-desc\"{3}>\n"
      "<title id=\"{2}-title\">{4}</title>\n<desc id=\"{2}-desc\">{5}</desc>\n{6}</svg>\n",
      px(width), px(drawing.height), id, attributes, escaped(chart.title), escaped(description(chart)),
      drawing.content);
  return drawing;
}

}  // namespace gpubench
