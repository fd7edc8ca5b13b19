#pragma once
// Which column of nvidia-smi's log holds what.

#include <cstddef>
#include <optional>
#include <string>

#include "power/log/csv_line.h"

namespace gpubench {

/// Positions of the columns that are read; all others are passed over.
struct NvidiaColumns {
  std::size_t count = 2;
  std::size_t stamp = 0;
  std::size_t power = 1;
  std::string power_name = "power.draw";
  std::optional<std::size_t> index;
  std::optional<std::size_t> uuid;
  std::optional<std::size_t> bus;
  std::optional<std::size_t> name;
  std::optional<std::size_t> temperature;
  std::optional<std::size_t> clock;
  std::optional<std::size_t> limit;
};

/// Whether the line has headings instead of values.
bool is_nvidia_heading(std::string_view line);

/// Throws where there is no column of time or of power.
NvidiaColumns nvidia_columns(const CsvLine& headings, std::size_t line);

}  // namespace gpubench
