// What several ranks gain on each machine.

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "pages/comparison/sections.h"
#include "pages/record_table.h"
#include "pages/run_sections.h"

namespace gpubench {
namespace {

std::vector<OwnedScaling> make_scalings(const Comparison& comparison) {
  std::vector<OwnedScaling> rows;
  for (const Candidate& candidate : comparison.candidates) {
    for (const ScalingRow& row : candidate.scaling) rows.push_back({candidate.label, &row});
  }
  return rows;
}

Cell percent_cell(const Measured<double>& fraction) {
  return number_cell(fraction.then([](double value) { return 100 * value; }));
}

}  // namespace

Table scaling_table(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  const std::vector<OwnedScaling> all = make_scalings(comparison);
  std::vector<OwnedScaling> rows;  // Those of one work beneath each other.
  const auto format_place = [&](const OwnedScaling& one) {
    return std::pair{scaled_work(*one.row, names), one.row->ranks};
  };
  for (const auto& [place, its_rows] : grouped(all, format_place)) append(rows, its_rows);
  using Row = OwnedScaling;
  Columns<Row> table(rows);
  table.add({"case"}, [&](const Row& one) { return scaled_work(*one.row, names); });
  table.add({"ranks", "", true},
            [](const Row& one) { return count_cell(static_cast<std::size_t>(one.row->ranks)); });
  table.add({""}, [](const Row& one) { return one.owner; });
  table.add({"samples/s", "", true}, [](const Row& one) { return number_cell(one.row->samples_per_second); });
  table.add({"of one rank", "", true},
            [](const Row& one) { return number_cell(one.row->single_samples_per_second); });
  table.add({"efficiency", "%", true},
            [](const Row& one) { return number_cell(efficiency_percent(*one.row).value); });
  table.add({"95 % interval"}, [](const Row& one) { return interval_text(efficiency_percent(*one.row)); });
  table.add_known(
      {"exchange", "%", true}, [](const Row& one) { return percent_cell(one.row->communication_share); },
      "not measured");
  table.add_known(
      {"imbalance", "%", true}, [](const Row& one) { return percent_cell(one.row->imbalance); },
      "not measured");
  std::vector<std::string> notes{
      "efficiency: samples/s over the ranks, and over those of one rank by itself"};
  append(notes, table.absences());
  return table.take("", std::move(notes));
}

Chart scaling_chart(const Comparison& comparison) {
  return efficiency_chart(make_scalings(comparison), RowNames(make_identities(comparison.candidates)));
}

}  // namespace gpubench
