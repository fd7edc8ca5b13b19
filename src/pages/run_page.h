#pragma once
// Pages of a record: of a training run or of operations. No function throws for the contents of a record.

#include <optional>
#include <string>

#include "gpubench/record/edit.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Returns a page of a training run without title: answer, a row per case, main notes.
Page run_outcome(const RunRecord& run);

/// Returns "10,700 images/s, 960 ms per epoch" for epochs of that many seconds.
std::string speed_text(const CaseRecord& c, double epoch_seconds);

/// Returns the page of a record, without its data. `name` is the file; a price adds energy costs.
Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh = {});

/// Returns the data of that page: a row per repeat, a column per single-valued field.
Table run_data(const RunRecord& run, const std::string& name);

}  // namespace gpubench
