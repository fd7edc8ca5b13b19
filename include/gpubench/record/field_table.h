#pragma once
// Every field of a record once: key, unit, label, how to read it and how to put it back. All writers and the
// reader iterate these tables.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

struct RepeatGroup;

/// A field's value; Absent becomes `null` plus `<key>_reason` in files and "-" in tables.
using FieldValue = std::variant<Absent, bool, std::int64_t, double, std::string, std::vector<double>,
                                std::vector<std::int64_t>, std::vector<std::string>, std::vector<Phase>,
                                NamedValues, NamedSeries, std::vector<Warning>>;

/// Where a field is shown beside the result file, which has them all.
enum class Shown {
  kInFile,
  kInTable,
  kInTableOfRepeats,     ///< In the table too, where a case was run more than once.
  kInTableWhereUnusual,  ///< In the table too, where a row has a value, and not the one of a case by default.
};

/// How a field is read and put back.
template <class Record>
struct Access {
  std::function<FieldValue(const Record&)> get;

  /// Empty for a derived field: it follows from the others and is never read from a file. Takes a whole
  /// number where a double is held, and an empty list for a list of any kind. Throws a data Error that says
  /// what is expected, but not for which key, for a value of another kind.
  std::function<void(Record&, const FieldValue&)> set = {};
};

/// One row of a table. `key` is the name in files and carries the unit's suffix (`_seconds`, `_bytes`).
template <class Record>
struct Field {
  Field(std::string key_, std::string unit_, std::string label_, Shown shown_, Access<Record> access)
      : key(std::move(key_)),
        unit(std::move(unit_)),
        label(std::move(label_)),
        shown(shown_),
        get(std::move(access.get)),
        set(std::move(access.set)) {}

  std::string key;
  std::string unit;   ///< "s", "B", "samples/s", "fraction", "MAC", or empty for a plain number or text.
  std::string label;  ///< Heading for people.
  Shown shown;
  std::function<FieldValue(const Record&)> get;
  std::function<void(Record&, const FieldValue&)> set;  ///< See Access.
};

// The tables, in the order of the file. Immutable, safe to read from several threads.
std::span<const Field<CaseRecord>> case_fields();  ///< Without the list of sources of power.
std::span<const Field<EnergyRecord>> energy_fields();
std::span<const Field<Phase>> phase_fields();
std::span<const Field<RepeatGroup>> repeat_fields();  ///< Derived, all of them.
std::span<const Field<ToolRecord>> tool_fields();
std::span<const Field<PlanRecord>> plan_fields();
std::span<const Field<PublishedRecord>> published_fields();  ///< Without the list of figures.
std::span<const Field<Environment>> environment_fields();    ///< Without the lists of devices and datasets.
std::span<const Field<DeviceRecord>> device_fields();
std::span<const Field<DatasetRecord>> dataset_fields();  ///< Without the list of files.
std::span<const Field<DataFileRecord>> data_file_fields();

}  // namespace gpubench
