#pragma once
// Headings of tables of power: what each column of a log holds.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench {

/// Columns that are read, apart from those of power. Further ones are ignored.
enum class ColumnRole { kTime, kDate, kIndex, kGpu, kUuid, kBus, kName, kHost, kTemperature, kClock, kLimit };
inline constexpr std::size_t kColumnRoles = 11;

/// A column of power.
struct PowerColumn {
  std::size_t at = 0;        ///< From 0.
  PowerSourceFacts facts{};  ///< Without what the lines say: index, UUID, name.
  double watts = 1;          ///< Per unit of a value that has no unit of its own.
  bool has_unit = false;     ///< Given by the heading, the tool or the user.
  bool is_guess = false;     ///< "GPU0" may be watts or a load in percent: the values decide.
};

/// Where a table has what. `count` is the number of its columns.
struct Columns {
  std::size_t count = 0;
  std::array<std::optional<std::size_t>, kColumnRoles> at{};
  std::vector<PowerColumn> power{};
  std::vector<std::size_t> topology{};  ///< turbostat's columns of packages, cores and processors.

  std::optional<std::size_t> operator[](ColumnRole role) const { return at[static_cast<std::size_t>(role)]; }
  std::optional<std::size_t>& operator[](ColumnRole role) { return at[static_cast<std::size_t>(role)]; }
};

/// Reads headings. Columns of power are those that `chosen` names (see PowerLogOptions), else those of known
/// tools, else those with a unit of power or the word in their heading. Throws a usage Error for a chosen
/// name that no heading has.
Columns columns_of_headings(const std::vector<std::string_view>& headings,
                            const std::vector<std::string>& chosen);

/// A value of --power-column.
struct ChosenColumn {
  std::string name;             ///< A heading, or the column's number from 1.
  std::optional<double> watts;  ///< Per unit of a value.
};

/// Splits "NAME:mW". Throws a usage Error for an empty name.
ChosenColumn chosen_column(const std::string& text);

/// Returns the watts per "W", "mW", "kW" or "uW"; none for other texts.
std::optional<double> watts_per_unit(std::string_view unit);

/// Returns the index at the end of "3", "GPU3", "gpu 3", "GPU[3]" or "card3"; none for other texts.
std::optional<std::int64_t> gpu_index(std::string_view text);

}  // namespace gpubench
