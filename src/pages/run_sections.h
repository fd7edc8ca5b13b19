#pragma once
// The parts of a run's page, a source each.

#include <optional>
#include <string>
#include <vector>

#include "compare/contender.h"
#include "compare/row_names.h"
#include "gpubench/record/page.h"
#include "pages/record_table.h"
#include "pages/run_table.h"
#include "pages/words.h"

namespace gpubench {

/// Short names of the cases of a run.
class CaseNames {
 public:
  explicit CaseNames(const std::vector<CaseRecord>& cases)
      : rows_(identities_of(cases)), tells_repeat_(has_repeats(cases)) {}

  const RowNames& rows() const { return rows_; }

  /// Of all repeats: "mlp on cpu, batch 128, bf16".
  std::string all(const CaseRecord& c) const { return one_line(rows_.of(identity_of(c))); }

  /// Of the one case: "mlp on cpu, batch 128, bf16, repeat 2".
  std::string one(const CaseRecord& c) const {
    return all(c) + (tells_repeat_ ? ", repeat " + std::to_string(c.repeat) : "");
  }

 private:
  RowNames rows_;
  bool tells_repeat_;
};

/// A row a case, with its status coloured and the reason of what failed noted; where there are any, repeats
/// and what a publication states beyond. A sentence where there is no case.
Section cases_section(const RunRecord& run);

/// "Energy": a row a case, a row a source of power, power over time of the longest cases; or why there is
/// none. "First minute and sustained", and temperature and clock by epoch. Sections without blocks where
/// there is nothing to say.
std::vector<Section> energy_sections(const RunRecord& run, std::optional<double> price_kwh);

/// Epoch time and throughput by batch, epoch by epoch, utilisation, start-up: without blocks where there are
/// no figures to set side by side.
std::vector<Section> chart_sections(const RunRecord& run, const std::vector<RowFigures>& timed);

}  // namespace gpubench
