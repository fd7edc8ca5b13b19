#pragma once
// Pages stay usable whatever there is to say: what they leave out is said, and files of values have all.
//
// Stateless, hence safe to call from several threads.

#include <cstddef>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

// What a page for people has room for.
inline constexpr std::size_t kMostTableRows = 1000;
inline constexpr std::size_t kMostChartPoints = 2000;  ///< Of a line.
inline constexpr std::size_t kMostChartSeries = 64;
inline constexpr std::size_t kMostCategories = 400;  ///< Of bars.

/// `sections` with the first rows of long tables, the first lines and bars of crowded charts, and of long
/// lines points that are evenly spread. A note below each says what is missing.
std::vector<Section> brief(std::vector<Section> sections);

}  // namespace gpubench
