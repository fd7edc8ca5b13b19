#pragma once

#include <string>
#include <vector>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

struct NamedOps {
  std::string name;
  RunRecord ops;
};

/// Returns the page of one table: a summary, op_sections(), the environment, and the rows as data.
Page ops_page(const RunRecord& ops, const std::string& name);

/// Returns the sections on the rows: collectives, sweep, matrix of types, rows and their repetitions.
std::vector<Section> op_sections(const RunRecord& ops);

}  // namespace gpubench
