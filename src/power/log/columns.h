#pragma once
// Headings of tables of power: what each column of a log holds.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench {

struct PowerColumn {
  std::size_t at = 0;        ///< From 0.
  PowerSourceFacts facts{};  ///< Without what the lines say: index, UUID, name.
  double watts = 1;          ///< Per unit of a value that has no unit of its own.
  bool has_unit = false;     ///< Given by the heading, the tool or the user.
  bool is_guess = false;     ///< "GPU0" may be watts or a load in percent: the values decide.
};

using ColumnPlace = std::optional<std::size_t>;

struct Columns {
  std::size_t count = 0;  ///< All columns, the unknown ones too.
  std::vector<PowerColumn> power{};
  ColumnPlace time{}, date{};
  ColumnPlace index{}, gpu{}, uuid{}, bus{}, name{}, host{};
  ColumnPlace temperature{}, clock{}, limit{};
  ColumnPlace processor{};  ///< Of turbostat.
};

/// Finds power in the `chosen` columns, or by the headings. Throws a usage Error for an unknown chosen one.
Columns columns_of_headings(const std::vector<std::string_view>& headings,
                            const std::vector<std::string>& chosen);

}  // namespace gpubench
