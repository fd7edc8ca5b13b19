#include "formats/chart/chart_marks.h"

#include <algorithm>

namespace gpubench {
namespace {

constexpr double kRow = 16;

constexpr double kFromLine = 4;

/// Right of the line, or left of it at the edge.
double start_of_text(double line, double text_width, double width) {
  if (line + kFromLine + text_width <= width) return line + kFromLine;
  return std::clamp(line - kFromLine - text_width, 0.0, std::max(0.0, width - text_width));
}

}  // namespace

std::vector<PlacedMark> place_marks(const Chart& chart, const Scale& scale, double width) {
  std::vector<PlacedMark> placed;
  std::vector<double> row_starts;
  std::vector<Mark> marks = chart.marks;
  std::erase_if(marks, [&](const Mark& mark) { return !can_show(mark.x, chart.x.is_logarithmic); });
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.x > b.x; });
  for (const Mark& mark : marks) {
    const std::string text = shortened(mark.text, width);
    const double x = scale.at(mark.x);
    const double start = start_of_text(x, text_width(text), width);
    const double end = start + text_width(text) + kFontSize;
    const auto free =
        std::find_if(row_starts.begin(), row_starts.end(), [&](double next) { return end < next; });
    const auto row = static_cast<std::size_t>(free - row_starts.begin());
    if (free == row_starts.end()) row_starts.emplace_back();
    row_starts[row] = std::min(start, x);
    placed.push_back({x, start, row, text});
  }
  return placed;
}

double height_of(const std::vector<PlacedMark>& marks) {
  if (marks.empty()) return 0;
  const auto by_row = [](const PlacedMark& a, const PlacedMark& b) { return a.row < b.row; };
  return kRow * static_cast<double>(std::max_element(marks.begin(), marks.end(), by_row)->row + 1) + 4;
}

std::string draw_marks(const std::vector<PlacedMark>& marks, const Area& area) {
  std::string lines;
  std::string texts;
  for (const PlacedMark& mark : marks) {
    const double text_bottom = area.top - 8 - kRow * static_cast<double>(mark.row);
    lines += line_between(mark.x, text_bottom - 9, mark.x, area.bottom, "mark");
    texts += text_at(mark.start, text_bottom, "over", mark.text);
  }
  return lines + texts;
}

}  // namespace gpubench
