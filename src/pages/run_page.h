#pragma once
// Pages of a record: of a training run or of a table of operations. They never throw for its contents.

#include <optional>
#include <string>

#include "gpubench/record/edit.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Returns a page of a training run without title: answer, a row a case, main notes.
Page run_outcome(const RunRecord& run);

/// Returns the page of a record without data; `name` is its file. With a price of a kWh, energy has a cost.
Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh = {});

/// Returns the data of that page: a row a case or operation, a column for each field of a single value.
Table run_data(const RunRecord& run, const std::string& name);

}  // namespace gpubench
