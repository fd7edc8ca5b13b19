#pragma once
// Every field of a record once: key, unit, label and how to read it. All writers iterate these tables.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// A field's value; Absent becomes `null` plus `<key>_reason` in files and "-" in tables.
using FieldValue = std::variant<Absent, bool, std::int64_t, double, std::string, std::vector<double>,
                                NamedValues, NamedSeries, std::vector<std::string>>;

/// Where a field is shown beside the result file, which has them all.
enum class Shown { kInFile, kInTable };

/// One row of a table. `key` is the name in files and carries the unit's suffix (`_seconds`, `_bytes`).
template <class Record>
struct Field {
  std::string key;
  std::string unit;   ///< "s", "B", "samples/s", "fraction", "MAC", or empty for a plain number or text.
  std::string label;  ///< Heading for people.
  Shown shown;
  std::function<FieldValue(const Record&)> get;
};

// The tables, in the order of the file. Immutable, safe to read from several threads.
std::span<const Field<CaseRecord>> case_fields();
std::span<const Field<ToolRecord>> tool_fields();
std::span<const Field<Environment>> environment_fields();  ///< Without the lists of devices and datasets.
std::span<const Field<DeviceRecord>> device_fields();
std::span<const Field<DatasetRecord>> dataset_fields();  ///< Without the list of files.
std::span<const Field<DataFileRecord>> data_file_fields();

}  // namespace gpubench
