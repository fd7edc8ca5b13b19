#include "pages/energy_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/record_table.h"
#include "pages/table_notes.h"
#include "pages/words.h"

namespace gpubench {
namespace {

/// What case_energy() says of a file that tells nothing.
constexpr const char* kUntold = "energy was not measured";

/// A column of figures.
struct EnergyColumn {
  Column column;
  Reading<double> (*figure)(const RowFigures& figures);
};

Reading<double> joules(const RowFigures& figures) { return figures.epoch_joules.value().value; }

const std::vector<EnergyColumn>& quantities() {
  using F = RowFigures;
  static const std::vector<EnergyColumn> all = {
      {{"energy an epoch", "J", true}, joules},
      {{"J/1,000 samples", "", true}, [](const F& f) { return f.energy.joules_per_1000_samples; }},
      {{"mean power", "W", true}, [](const F& f) { return f.energy.mean_watts; }},
      {{"peak power", "W", true}, [](const F& f) { return f.energy.peak_watts; }},
      {{"idle power", "W", true}, [](const F& f) { return f.energy.idle_watts; }},
      {{"net of idle", "J", true}, [](const F& f) { return f.energy.net_joules; }},
      {{"coverage", "%", true},
       [](const F& f) {
         const Reading<double>& part = f.energy.coverage;
         return part.has_value() ? Reading<double>(100 * part.value()) : part;
       }},
      {{"period", "s", true}, [](const F& f) { return f.energy.period_seconds; }},
  };
  return all;
}

struct Row {
  const Contender* contender;
  const RowFigures* figures;
};

std::vector<Row> rows_of(const std::vector<Contender>& contenders) {
  std::vector<Row> rows;
  for (const Contender& contender : contenders) {
    for (const RowFigures& figures : contender.rows) {
      if (figures.epoch_joules.has_value()) rows.push_back({&contender, &figures});
    }
  }
  return rows;
}

/// Nothing where all texts are empty.
template <class Text>
void add_text(const Column& column, const std::vector<Row>& rows, Text text_of, Table& table) {
  const auto is_empty = [&](const Row& row) { return text_of(row).empty(); };
  if (std::all_of(rows.begin(), rows.end(), is_empty)) return;
  table.columns.push_back(column);
  for (std::size_t i = 0; i < rows.size(); ++i) table.rows[i].push_back({text_of(rows[i])});
}

/// What no row has is said once below the table.
void add_quantity(const EnergyColumn& quantity, const std::vector<Row>& rows, Table& table,
                  Absences& absences) {
  const auto has_figure = [&](const Row& row) { return quantity.figure(*row.figures).has_value(); };
  if (std::none_of(rows.begin(), rows.end(), has_figure)) {
    absences.add(quantity.column.heading, quantity.figure(*rows.front().figures).reason());
    return;
  }
  table.columns.push_back(quantity.column);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.rows[i].push_back(number_cell(quantity.figure(*rows[i].figures)));
  }
}

/// Where the figures are from. What is the same in all rows is said once.
void add_sources(const std::vector<Row>& rows, Table& table) {
  using E = EnergyFigures;
  std::vector<std::string> common;
  for (const auto& [heading, member] :
       {std::pair{"meter", &E::meter}, {"scope", &E::scope}, {"method", &E::method}}) {
    const auto text_of = [member = member](const Row& row) { return one_line(row.figures->energy.*member); };
    const std::string first = text_of(rows.front());
    const auto is_first = [&](const Row& row) { return text_of(row) == first; };
    if (!std::all_of(rows.begin(), rows.end(), is_first)) {
      add_text({heading}, rows, text_of, table);
    } else if (!first.empty()) {
      common.push_back(fmt::format("{} {}", heading, first));
    }
  }
  if (!common.empty()) table.notes.push_back("Source of all: " + join(common) + ".");
}

/// So many epochs that the dearest case costs a figure that can be read.
double epochs_for(double most_per_epoch) {
  double epochs = 1;
  while (epochs < 1e6 && epochs * most_per_epoch < 0.01) epochs *= 1000;
  return epochs;
}

void add_cost(double price_kwh, const std::vector<Row>& rows, Table& table) {
  std::vector<double> costs;
  for (const Row& row : rows) costs.push_back(cost_of(joules(*row.figures).value(), price_kwh));
  const double epochs = epochs_for(*std::max_element(costs.begin(), costs.end()));
  const std::string count = epochs == 1 ? "an epoch" : with_separators(std::llround(epochs)) + " epochs";
  table.columns.push_back({"cost of " + count, "", true});
  for (std::size_t i = 0; i < rows.size(); ++i) table.rows[i].push_back(number_cell(epochs * costs[i]));
  table.notes.push_back(fmt::format("Cost: that of the gross energy, {}.", price_text(price_kwh)));
}

std::vector<std::string> method_notes(const std::vector<Row>& rows) {
  const auto is_measured = [](const Row& row) { return !row.figures->energy.method.empty(); };
  if (std::none_of(rows.begin(), rows.end(), is_measured)) {
    return {"Energy: the power that the publication states times its epoch."};
  }
  return {
      "Energy: gross, of a mean epoch after the warm-up; of repetitions the median. Its interval is that of "
      "sampling, or from three repetitions on of these; what the sensor gets wrong is not in it. Net: less "
      "idle power, the mean before and after, times the epoch."};
}

/// Reasons, with whom they concern: "A", or "A (2 of 5 cases)".
std::map<std::string, std::vector<std::string>> reasons_of(const std::vector<Contender>& contenders) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const Contender& contender : contenders) {
    std::map<std::string, std::size_t> counts;
    const std::size_t good = count_of_good(contender);
    for (const RowFigures& figures : contender.rows) {
      if (figures.is_ok && !figures.epoch_joules.has_value()) ++counts[figures.epoch_joules.reason()];
    }
    for (const auto& [reason, count] : counts) {
      const bool is_all = count == good;
      const std::string part = is_all ? "" : fmt::format(" ({} of {} cases)", count, good);
      reasons[reason].push_back(one_line(contender.label) + part);
    }
  }
  return reasons;
}

}  // namespace

std::string price_text(double price_kwh) {
  const bool is_in_hundredths = std::abs(100 * price_kwh - std::round(100 * price_kwh)) < 1e-9;
  return is_in_hundredths ? fmt::format("price {:.2f} per kWh", price_kwh)
                          : fmt::format("price {:g} per kWh", price_kwh);
}

double cost_of(double joules, double price_kwh) {
  constexpr double kJoulesPerKwh = 3.6e6;
  return joules / kJoulesPerKwh * price_kwh;
}

Table energy_table(const std::vector<Contender>& contenders, std::optional<double> price_kwh) {
  const std::vector<Row> rows = rows_of(contenders);
  Table table{"", {}, {}, {}};
  if (rows.empty()) return table;
  table.rows.resize(rows.size());
  if (contenders.size() > 1) {
    add_text(
        {"who"}, rows, [](const Row& row) { return one_line(row.contender->label); }, table);
  }
  const RowNames names(identities_of(contenders));
  add_text(
      {"case"}, rows, [&](const Row& row) { return names.of(row.figures->identity); }, table);
  Absences absences;
  for (const EnergyColumn& quantity : quantities()) {
    add_quantity(quantity, rows, table, absences);
    if (quantity.figure == joules) {
      add_text(
          {"95 % interval"}, rows,
          [](const Row& row) { return interval_text(row.figures->epoch_joules.value().interval); }, table);
    }
  }
  if (price_kwh) add_cost(*price_kwh, rows, table);
  add_sources(rows, table);
  for (const auto& notes : {method_notes(rows), absences.notes()}) {
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  }
  return table;
}

std::vector<Paragraph> energy_absences(const std::vector<Contender>& contenders) {
  const auto reasons = reasons_of(contenders);
  const bool is_told =
      std::any_of(reasons.begin(), reasons.end(), [](const auto& entry) { return entry.first != kUntold; });
  std::vector<Paragraph> paragraphs;
  if (!is_told && rows_of(contenders).empty()) return paragraphs;
  for (const auto& [reason, who] : reasons) {
    const std::string why = reason == kUntold ? "" : ": " + one_line(reason);
    paragraphs.push_back({fmt::format("Energy: not measured for {}{}.", join(who), why), Tone::kMuted});
  }
  return paragraphs;
}

}  // namespace gpubench
