#include "gpubench/compare/ops_page.h"

#include <utility>

#include "compare/op_names.h"
#include "compare/ops_sections.h"
#include "compare/record_data.h"
#include "compare/run_environment.h"
#include "gpubench/record/field_table.h"

namespace gpubench {
namespace {

std::vector<Section> row_sections(const OpsRecord& ops) {
  if (ops.rows.empty()) return {{"Operations", {Paragraph{"The file has no row."}}}};
  std::vector<Section> sections;
  // Whoever asked for the sweep or the matrix looks for that first.
  if (ops.settings.kind == "sweep") {
    Chart chart = op_sweep_chart(ops.rows);
    if (!chart.series.empty()) sections.push_back({"Sweep", {std::move(chart)}});
  }
  if (types_of(ops.rows).size() > 1) sections.push_back({"Operations by types", {op_matrix_table(ops.rows)}});
  sections.push_back({"Operations", {op_rows_table(ops.rows)}});
  return sections;
}

}  // namespace

Page ops_page(const OpsRecord& ops, const std::string& name) {
  Page page{name, ops_summary(ops), row_sections(ops), record_data(op_fields(), ops.rows, name)};
  if (!ops.published) page.sections.push_back(environment_section(ops.tool, ops.environment));
  return page;
}

}  // namespace gpubench
