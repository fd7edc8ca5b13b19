#pragma once
// Energies as a table, and in words where there are none.

#include <optional>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// "price 0.30 per kWh".
std::string price_text(double price_kwh);

/// What so much energy costs.
double compute_cost(double joules, double price_kwh);

/// A row for each case of which energy is known, and with a price what it costs. Contenders are named by
/// their labels where there are several. Without rows where there is no energy.
Table energy_table(const std::vector<Candidate>& candidates, std::optional<double> price_kwh);

/// "Energy: not measured for A: no power meter can be read (...).", a sentence for each reason. Nothing where
/// no file tells anything about energy.
std::vector<Paragraph> energy_absences(const std::vector<Candidate>& candidates);

}  // namespace gpubench
