#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "pages/comparison/sections.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

const std::string& find_precision(const RankedMachine& machine) {
  return machine.best->identity.at("precision");
}

/// Returns whether any machine is fastest in another precision than fp32.
bool has_precisions(const Ranking& ranking) {
  return ranking.cases == 1 && std::ranges::any_of(ranking.machines, [](const RankedMachine& machine) {
           return machine.fp32 != machine.best && !find_precision(machine).empty();
         });
}

/// "-" without a row, and for operations and publications that state no number of samples.
Cell throughput_cell(const RowFigures* row) {
  if (row == nullptr || row->identity.number("train_samples") <= 0) return no_figure("");
  return number_cell(compute_throughput(*row));
}

/// "27,105 bf16"
Cell fastest_cell(const RankedMachine& machine) {
  Cell cell = throughput_cell(machine.best);
  cell.text += " " + find_precision(machine);
  return cell;
}

Cell energy_cell(const RankedMachine& machine) {
  const Measured<double> joules = machine.best->epoch_joules.then(&Estimate::value);
  return joules.has_value() ? number_cell(joules) : no_figure("");
}

Cell cost_cell(const RankedMachine& machine) {
  const std::optional<double> cost = cost_per_million(machine);
  return cost ? number_cell(*cost) : no_figure("");
}

}  // namespace

Table ranking_table(const Ranking& ranking, const Comparison& comparison) {
  using Row = RankedMachine;
  const RowNames names(make_identities(comparison.candidates));
  Columns<Row> table(ranking.machines);
  const bool is_of_one = ranking.cases == 1;
  table.number("rank", "", [](const Row& row) {
    return Cell{std::to_string(row.rank) + (row.is_certain ? "" : "?"), static_cast<double>(row.rank)};
  });
  table.text("machine", [](const Row& row) { return row.candidate->name; });
  if (has_precisions(ranking)) {
    table.number("fp32", "", [](const Row& row) { return throughput_cell(row.fp32); });
    table.number("fastest", "", fastest_cell);
  } else if (is_of_one) {
    table.add_known(
        {"samples/s", "", true}, [](const Row& row) { return throughput_cell(row.best); }, "");
  }
  const bool is_of_fastest = ranking.reference == ranking.machines.front().candidate;
  table.number(is_of_fastest ? "relative" : "of " + ranking.reference->name, "",
               [](const Row& row) { return row.relative.value; });
  table.text("95 % interval", [&](const Row& row) {
    return row.candidate == ranking.reference ? std::string() : interval_text(row.relative);
  });
  if (is_of_one) table.add_known({"J/epoch", "", true}, energy_cell, "");
  table.add_known({"cost/1M", "", true}, cost_cell, "");
  std::vector<std::string> notes;
  if (!ranking.left_out.empty())
    notes.push_back("Left out, since the network differs: " +
                    join(mapped(ranking.left_out, &Candidate::name)));
  const std::string all =
      fmt::format("All {}s in common (geometric mean of {})", row_noun(comparison), ranking.cases);
  const std::string title = names.of(ranking.work) + (has_precisions(ranking) ? " (samples/s)" : "");
  return table.take(is_of_one ? title : all, std::move(notes));
}

std::vector<Paragraph> ranking_notes(const std::vector<Ranking>& rankings, const Comparison& comparison) {
  const auto any = [&](const auto& matches) {
    return std::ranges::any_of(
        rankings, [&](const Ranking& ranking) { return std::ranges::any_of(ranking.machines, matches); });
  };
  std::vector<Paragraph> notes;
  if (std::ranges::any_of(rankings, has_precisions))
    notes.push_back({"Machines are ranked by their fastest precision; fp32 is beside it."});
  const auto shares_rank = [&](const Ranking& ranking) {
    std::size_t place = 0;
    return std::ranges::any_of(ranking.machines,
                               [&](const RankedMachine& one) { return one.rank != ++place; });
  };
  if (std::ranges::any_of(rankings, shares_rank))
    notes.push_back({"Same rank: the intervals overlap, so the machines cannot be told apart."});
  if (any([](const RankedMachine& machine) { return !machine.is_certain; }))
    notes.push_back({"?: the measured order, without an interval it may be chance."});
  std::vector<std::string> unranked;
  for (const Candidate& one : comparison.candidates) {
    if (!any([&](const RankedMachine& machine) { return machine.candidate == &one; }))
      unranked.push_back(one.name);
  }
  if (!unranked.empty())
    notes.push_back(caution("No case in common with another machine: {}.", join(unranked)));
  return notes;
}

}  // namespace gpubench
