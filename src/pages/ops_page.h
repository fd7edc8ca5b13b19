#pragma once
// Pages of tables of operations.

#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// A table with the name of its file.
struct NamedOps {
  std::string name;
  OpsRecord ops;
};

/// Returns the page of one table: a summary, op_sections(), the environment, and the rows as data.
Page ops_page(const OpsRecord& ops, const std::string& name);

/// The sections of that page on the rows: collectives over their bytes, the curve of a sweep, the matrix of
/// types where there are several, the rows and their repetitions.
std::vector<Section> op_sections(const OpsRecord& ops);

}  // namespace gpubench
