#pragma once
// Headings of tables of power: what each column of a log holds.

#include <cstdint>
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
  std::size_t count = 0;  ///< Of all columns.
  std::vector<PowerColumn> power{};
  ColumnPlace time{}, date{};
  ColumnPlace index{}, gpu{}, uuid{}, bus{}, name{}, host{};
  ColumnPlace temperature{}, clock{}, limit{};
  std::vector<std::size_t> topology{};  ///< turbostat's columns of packages, cores and processors.
};

/// Columns of power are those in `chosen` (see PowerLogOptions), else those of known tools, else those with
/// a unit of power or the word. Throws a usage Error for a chosen name without a heading.
Columns columns_of_headings(const std::vector<std::string_view>& headings,
                            const std::vector<std::string>& chosen);

/// A number and its unit: "200.00 W", "20000mW", "1500 MHz".
struct Amount {
  std::string_view digits;
  std::string_view unit;
};

Amount amount_in(std::string_view field);

/// Returns the watts per "W", "mW", "kW" or "uW"; nothing for other texts.
std::optional<double> watts_per_unit(std::string_view unit);

/// Reads "200.00 W" or "20000mW"; nothing for other texts and for negative power.
std::optional<Watts> parse_watts(std::string_view text);

/// Returns the index at the end of "3", "GPU3", "gpu 3", "GPU[3]" or "card3"; nothing for other texts.
std::optional<std::int64_t> gpu_index(std::string_view text);

}  // namespace gpubench
