#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/edit.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Returns a page without title: answer, a row a case, main notes. Never throws for contents of a record.
Page run_outcome(const RunRecord& run);

/// Returns the page of `run` without data; `name` is its file. With a price of a kWh, in any currency, energy
/// has a cost. Never throws for the contents of a record.
Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh = {});

/// Returns the data of that page: a row a case, a column for each field of a single value.
Table run_data(const RunRecord& run, const std::string& name);

/// Returns the sections of that page with `name` in their titles.
std::vector<Section> run_sections(const RunRecord& run, const std::string& name,
                                  std::optional<double> price_kwh = {});

/// Returns the environments of `runs` side by side: a column a run, a row a field that one of them has.
Section environments_section(const std::vector<NamedRun>& runs);

}  // namespace gpubench
