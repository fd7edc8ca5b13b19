#pragma once
// Parts of the tables of rows, by subject. Figures are computed beside their fields.

#include <initializer_list>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/record/parameter.h"
#include "record/field_value.h"

namespace gpubench {

std::vector<Field<RowRecord>> row_fields();  ///< Of every row, but `status`, whose names differ.

std::vector<Field<CaseRecord>> time_figures();
std::vector<Field<CaseRecord>> quality_figures();
std::vector<Field<CaseRecord>> energy_figures();
std::vector<Field<CaseRecord>> utilization_figures();
std::vector<Field<CaseRecord>> rank_figures();
std::vector<Field<OpRecord>> op_figures();

/// The table of a kind of rows: the parameters that are in files, then `parts` and the fields of every row.
template <class Record, class Point>
std::vector<Field<Record>> make_row_table(const ParameterTable<Point>& parameters,
                                          std::initializer_list<std::vector<Field<Record>>> parts) {
  std::vector<Field<Record>> fields;
  for (const Parameter<Point>& parameter : parameters) {
    if (!parameter.use.is_in_file) continue;
    Field<Record>& field = fields.emplace_back(static_cast<const Field<Point>&>(parameter));
    field.help += '.';  // Help of an option has none.
    field.section = FieldSection::kAsked;
  }
  for (const std::vector<Field<Record>>& part : parts) append(fields, part);
  for (const Field<RowRecord>& field : row_fields()) fields.emplace_back(field);
  return fields;
}

/// Median over the epochs after the warm-up of what the rank that waited least waited for exchanges, as a
/// part of the epoch: what communication costs that no rank's slowness explains.
Measured<double> communication_share(const CaseRecord& record);

}  // namespace gpubench
