#pragma once
// Names of series with the look of each.

#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// A part of a drawing that starts at its top.
struct Strip {
  std::string svg;
  double height = 0;
};

/// The names in rows as wide as `width` allows; nothing for a single series without a name.
Strip legend(const Chart& chart, const std::string& id, double width);

}  // namespace gpubench
