#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// The reason of case_energy() for a file without any.
constexpr const char* kUntold = "energy was not measured";

using Row = CandidateRow;
using Notes = std::vector<std::string>;

double joules(const Row& row) { return row.figures->epoch_joules.value().value; }

void add_quantities(Columns<Row>& table, const std::vector<Row>& rows) {
  using E = EnergyFigures;
  const auto add = [&](const char* heading, const char* unit, Measured<double> E::*member, double scale = 1) {
    const auto make_cell = [&](const Row& row) {
      return number_cell((row.figures->energy.*member).then([&](double figure) { return scale * figure; }));
    };
    table.add_known({heading, unit, true}, make_cell, make_cell(rows.front()).note);
  };
  table.number("energy an epoch", "J", joules);
  table.add_told({"95 % interval"}, [](const Row& row) { return interval_text(row.figures->epoch_joules); });
  add("J/1,000 samples", "", &E::joules_per_1000_samples);
  add("mean power", "W", &E::mean_watts);
  add("peak power", "W", &E::peak_watts);
  add("idle power", "W", &E::idle_watts);
  add("net of idle", "J", &E::net_joules);
  add("coverage", "%", &E::coverage, 100);
  add("period", "s", &E::period_seconds);
}

std::vector<Row> list_rows(const std::vector<Candidate>& candidates) {
  std::vector<Row> rows = make_rows(candidates);
  std::erase_if(rows, [](const Row& row) { return !row.figures->epoch_joules.has_value(); });
  return rows;
}

Notes add_cost(Columns<Row>& table, const std::vector<Row>& rows, double price_kwh) {
  const auto cost_in = [&](const Row& row) { return compute_cost(joules(row), price_kwh); };
  const double most = std::ranges::max(mapped(rows, cost_in));
  // Enough epochs for a readable cost of the dearest case.
  double epochs = 1;
  while (epochs < 1e6 && epochs * most < 0.01) epochs *= 1000;
  const std::string count = epochs == 1 ? "an epoch" : with_separators(std::llround(epochs)) + " epochs";
  table.number("cost of " + count, "", [&](const Row& row) { return epochs * cost_in(row); });
  const bool is_in_hundredths = std::abs(100 * price_kwh - std::round(100 * price_kwh)) < 1e-9;
  return {fmt::format("Cost: that of the gross energy, price {} per kWh.",
                      is_in_hundredths ? fmt::format("{:.2f}", price_kwh) : fmt::format("{:g}", price_kwh))};
}

std::string method_note(const std::vector<Row>& rows) {
  if (std::ranges::all_of(rows, [](const Row& row) { return row.figures->energy.method.empty(); }))
    return "Energy: the power that the publication states times its epoch.";
  return "Energy: gross, of a mean epoch after the warm-up; of repetitions the median. Its interval is that "
         "of repetitions, from three on; what the sensor gets wrong is not in it. Net: less idle power, the "
         "mean before and after, times the epoch.";
}

/// Reasons, with their candidates: "A", or "A (2 of 5 cases)".
std::map<std::string, std::vector<std::string>> list_reasons(const std::vector<Candidate>& candidates) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const Candidate& candidate : candidates) {
    std::map<std::string, std::size_t> counts;
    const std::size_t good = count_of_good(candidate);
    for (const RowFigures& figures : candidate.rows) {
      if (figures.is_ok && !figures.epoch_joules.has_value()) ++counts[figures.epoch_joules.reason()];
    }
    for (const auto& [reason, count] : counts) {
      const std::string part = count == good ? "" : fmt::format(" ({} of {} cases)", count, good);
      reasons[reason].push_back(one_line(candidate.label) + part);
    }
  }
  return reasons;
}

}  // namespace

double compute_cost(double joules, double price_kwh) {
  constexpr double kJoulesPerKwh = 3.6e6;
  return joules / kJoulesPerKwh * price_kwh;
}

Table energy_table(const std::vector<Candidate>& candidates, std::optional<double> price_kwh) {
  const std::vector<Row> rows = list_rows(candidates);
  if (rows.empty()) return {};
  Columns<Row> table(rows);
  if (candidates.size() > 1)
    table.add_told({"who"}, [](const Row& row) { return one_line(row.candidate->label); });
  const RowNames names(make_identities(candidates));
  table.add_told({"case"}, [&](const Row& row) { return names.of(row.figures->identity); });
  add_quantities(table, rows);
  for (const auto& [heading, field] : {std::pair{"meter", &EnergyFigures::meter},
                                       {"scope", &EnergyFigures::scope},
                                       {"method", &EnergyFigures::method}}) {
    table.add_told({heading},
                   [member = field](const Row& row) { return one_line(row.figures->energy.*member); });
  }
  Notes notes;
  if (price_kwh) notes = add_cost(table, rows, *price_kwh);
  notes.push_back(method_note(rows));
  append(notes, table.absences());
  return folded(table.take("", std::move(notes)));
}

std::vector<Paragraph> energy_absences(const std::vector<Candidate>& candidates) {
  const auto reasons = list_reasons(candidates);
  const bool is_told = reasons.size() > reasons.count(kUntold);
  if (!is_told && list_rows(candidates).empty()) return {};
  return mapped(reasons, [](const auto& entry) {
    const std::string why = entry.first == kUntold ? "" : ": " + one_line(entry.first);
    return Paragraph{fmt::format("Energy: not measured for {}{}.", join(entry.second), why), Tone::kMuted};
  });
}

}  // namespace gpubench
