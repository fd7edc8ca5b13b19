#pragma once
// What one result file says, as a page, and as text for whoever ran it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/merge.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// What pages have room for. They tell of so many cases, and say how many more there are.
inline constexpr std::size_t kMostCasesShown = 1000;

/// The page of `run`, which was read from the file called `name`, without data: what it amounts to in words,
/// then environment, cases and charts. Never throws for what a record holds: a run without a case, or of
/// failed ones, is a page too. With a price of a kWh, in any currency, energy has a cost.
Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh = {});

/// The data of that page: a row a case and a column for each field of a single value, called as in the file.
Table run_data(const RunRecord& run, const std::string& name);

/// The sections of that page with `name` in their titles, to stand among those of other files.
std::vector<Section> run_sections(const RunRecord& run, const std::string& name,
                                  std::optional<double> price_kwh = {});

/// The environments of `runs` side by side: a column a run, a row a field that one of them has. What differs
/// from the first run is marked.
Section environments_section(const std::vector<NamedRun>& runs);

/// The run as aligned text for a terminal, a row a case up to kMostCasesShown, with notes below; ends in a
/// newline. Pure: the same record gives the same bytes, in every locale.
std::string run_table(const RunRecord& run);

}  // namespace gpubench
