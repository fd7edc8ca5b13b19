#pragma once
// How series and points look, and what they say when pointed at.

#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// Whether the point has an interval that the axis of its y can show.
bool has_interval(const Point& point, const Axis& axis);

/// Attributes of a bar's filling, and the hatching that some of them refer to by an id that starts with `id`.
std::string bar_fill(std::size_t series, const std::string& id);
std::string bar_hatching(const Chart& chart, const std::string& id);

/// Class of the dashes of a line.
std::string dash_class(std::size_t series);

/// What someone reads who points at it: series, place and value with interval, four digits each.
std::string tooltip(const Chart& chart, const Series& series, const Point& point);

}  // namespace gpubench
