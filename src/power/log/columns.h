#pragma once
// Meaning of the columns of a power log, derived from their headings.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench {

struct PowerColumn {
  std::size_t at = 0;        ///< Position of the column, from 0.
  PowerSourceFacts facts{};  ///< Without index, UUID and name, which are in the lines.
  double watts = 1;          ///< Watts per unit, for values without a unit of their own.
  bool has_unit = false;     ///< The heading, the tool or the user states the unit.
  bool is_guess = false;     ///< "GPU0" may be watts or a load in percent, depending on the values.
};

using ColumnPlace = std::optional<std::size_t>;

struct Columns {
  std::size_t count = 0;  ///< Number of all columns, including unknown ones.
  std::vector<PowerColumn> power{};
  ColumnPlace time{}, date{};
  ColumnPlace index{}, gpu{}, uuid{}, bus{}, name{}, host{};
  ColumnPlace temperature{}, clock{}, limit{};
  ColumnPlace processor{};  ///< Logical CPU of a line of turbostat.
};

/// Returns the columns; power is in the `chosen` ones, or else found by heading. Throws a usage Error if a
/// chosen column is unknown.
Columns columns_of_headings(const std::vector<std::string_view>& headings,
                            const std::vector<std::string>& chosen);

}  // namespace gpubench
