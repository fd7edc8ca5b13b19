#pragma once
// Marks of a chart: dashed lines through the plot, with a text above it.

#include <string>
#include <vector>

#include "formats/chart/chart_ink.h"
#include "formats/chart/chart_scale.h"
#include "gpubench/record/page.h"

namespace gpubench {

struct PlacedMark {
  double x = 0;         ///< Of the line.
  double start = 0;     ///< Of the text, beside the line.
  std::size_t row = 0;  ///< Of the text, from the plot upwards.
  std::string text;
};

/// The marks that the x axis can show, from the right. A text is in the lowest row where it touches none to
/// its right, so that no line of theirs crosses it.
std::vector<PlacedMark> place_marks(const Chart& chart, const Scale& scale, double width);

/// Room that the texts need above the plot.
double height_of(const std::vector<PlacedMark>& marks);

std::string draw_marks(const std::vector<PlacedMark>& marks, const Area& area);

}  // namespace gpubench
