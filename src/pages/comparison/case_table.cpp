// The cases of a duel side by side.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/nearest.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

/// What is unusual about how the case trains: "bf16, loader host".
std::string mode_of(const RowFigures& row) {
  static const RowNames names({});
  return names.of(row.identity.without({"model", "sizes", "device", "dataset", "batch", "protocol"}));
}

/// "bf16", or of both sides "default / bf16".
std::string mode_of(const Pair& pair) {
  const auto words = [](const RowFigures* row) {
    const std::string mode = mode_of(*row);
    return mode.empty() ? std::string("default") : mode;
  };
  const bool is_alike =
      pair.base == nullptr || pair.other == nullptr || words(pair.base) == words(pair.other);
  return is_alike ? mode_of(pair.any()) : words(pair.base) + " / " + words(pair.other);
}

bool has_energy(const RowFigures* figures) { return figures != nullptr && figures->epoch_joules.has_value(); }

/// The figure, or how the case ended.
Cell time_cell(const RowFigures* figures) {
  if (figures == nullptr) return {"none", {}, "", Tone::kMuted};
  if (!figures->is_ok) {
    return {figures->status, {}, figures->status_reason, Tone::kBad};
  }
  if (!figures->seconds.has_value()) return no_figure(figures->seconds.reason());
  Cell cell = number_cell(figures->seconds.value().value);
  if (figures->failures > 0) {
    cell.note =
        fmt::format("{} of {} repetitions failed", figures->failures, figures->failures + figures->processes);
    cell.tone = Tone::kWarning;
  }
  return cell;
}

Cell startup_cell(const RowFigures* figures) {
  return figures == nullptr ? Cell{"-"} : number_cell(figures->startup_seconds);
}

/// The ratio, with what of `metric` is to be minded.
Cell ratio_cell_of(const Reading<Estimate>& ratio, Metric metric, const Pair& pair) {
  Cell cell = ratio_cell(ratio);
  std::vector<std::string> caveats;
  for (const Difference& difference : pair.differences) {
    if (difference.on(metric) != Judgement::kComparable) caveats.push_back(sentence_of(difference));
  }
  if (cell.value && !caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

Cell interval_cell(const Reading<Estimate>& ratio) {
  return {ratio.has_value() ? interval_text(ratio.value().interval) : ""};
}

Cell ahead_cell(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  using Kind = BreakEven::Kind;
  const Reading<BreakEven> point = break_even(comparison, duel, pair);
  if (!point.has_value()) return no_figure(point.reason());
  const bool is_base = point.value().kind == Kind::kBaseAlways || point.value().kind == Kind::kBaseOvertakes;
  const std::string& who = (is_base ? comparison.base_of(duel) : comparison.other_of(duel)).label;
  const bool is_always = point.value().kind == Kind::kBaseAlways || point.value().kind == Kind::kOtherAlways;
  if (is_always) return {who + " always", 0.0};
  // Training is stopped after whole epochs.
  const double first = std::max(1.0, std::ceil(point.value().epochs));
  return {fmt::format("{} from epoch {:.0f} on", who, first), point.value().epochs};
}

/// A row a pair, written column by column.
class PairTable {
 public:
  explicit PairTable(const Duel& duel) : duel_(duel) { rows.resize(duel.pairs.size()); }

  template <class CellOf>
  void add(Column column, CellOf cell_of) {
    columns.push_back(std::move(column));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(cell_of(duel_.pairs[i]));
  }

  /// A column that would say nothing is left out.
  template <class Is>
  bool any(Is is) const {
    return std::any_of(duel_.pairs.begin(), duel_.pairs.end(), is);
  }

  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;

 private:
  const Duel& duel_;
};

/// What the cases are; what is the same of all goes without saying.
void add_names(PairTable& table, const Duel& duel) {
  const auto part = [](const std::string& key) {
    return [key](const Pair& pair) { return pair.any().identity.at(key); };
  };
  const auto add = [&](const std::string& heading, const std::string& key) {
    table.add({heading}, [&](const Pair& pair) { return Cell{part(key)(pair)}; });
  };
  add("model", "model");
  if (table.any([&](const Pair& pair) { return !part("sizes")(pair).empty(); })) add("sizes", "sizes");
  const std::string first = duel.pairs.empty() ? "" : part("dataset")(duel.pairs.front());
  if (table.any([&](const Pair& pair) { return part("dataset")(pair) != first; })) add("dataset", "dataset");
  table.add({"batch", "", true}, [&](const Pair& pair) {
    return Cell{part("batch")(pair), static_cast<double>(pair.any().identity.number("batch"))};
  });
  if (table.any([](const Pair& pair) { return !mode_of(pair).empty(); }))
    table.add({"mode"}, [](const Pair& pair) { return Cell{mode_of(pair)}; });
}

void add_times(PairTable& table, const Comparison& comparison, const Duel& duel) {
  const std::string& base = comparison.base_of(duel).label;
  const std::string& other = comparison.other_of(duel).label;
  const auto speed = [&](const Pair& pair) { return speed_ratio(comparison, duel, pair); };
  table.add({base + " epoch", "s", true}, [](const Pair& pair) { return time_cell(pair.base); });
  table.add({other + " epoch", "s", true}, [](const Pair& pair) { return time_cell(pair.other); });
  table.add({base + " / " + other, "x", true},
            [&](const Pair& pair) { return ratio_cell_of(speed(pair), Metric::kTime, pair); });
  table.add({"95 % interval"}, [&](const Pair& pair) { return interval_cell(speed(pair)); });
}

/// Nothing where no case tells how long it takes to start.
std::vector<std::string> add_startups(PairTable& table, const Comparison& comparison, const Duel& duel) {
  const std::string& base = comparison.base_of(duel).label;
  const std::string& other = comparison.other_of(duel).label;
  const auto is_known = [&](const Pair& pair) { return break_even(comparison, duel, pair).has_value(); };
  if (!table.any(is_known)) return {};
  table.add({base + " start-up", "s", true}, [](const Pair& pair) { return startup_cell(pair.base); });
  table.add({other + " start-up", "s", true}, [](const Pair& pair) { return startup_cell(pair.other); });
  table.add({"ahead"}, [&](const Pair& pair) { return ahead_cell(comparison, duel, pair); });
  return {fmt::format(
      "Start-up T0: set-up, and what the first epoch took beyond a median one t. Time of n epochs "
      "T(n) = T0 + n t; equal after n = (T0_{1} - T0_{0}) / (t_{0} - t_{1}) epochs.",
      base, other)};
}

/// Nothing where no case has energies on both sides.
std::vector<std::string> add_energies(PairTable& table, const Comparison& comparison, const Duel& duel) {
  if (!table.any([](const Pair& pair) { return has_energy(pair.base) && has_energy(pair.other); })) return {};
  const bool has_interval = table.any([&](const Pair& pair) {
    const Reading<Estimate> energy = energy_ratio(comparison, duel, pair);
    return energy.has_value() && energy.value().interval.has_value();
  });
  for (const auto& [name, ratio_of] :
       {std::pair<std::string, PairRatio>{"energy", energy_ratio}, {"efficiency", efficiency_ratio}}) {
    const auto ratio = [&, ratio_of = ratio_of](const Pair& pair) {
      return ratio_of(comparison, duel, pair);
    };
    table.add({name, "x", true},
              [&](const Pair& pair) { return ratio_cell_of(ratio(pair), Metric::kEnergy, pair); });
    if (has_interval)
      table.add({name + ", 95 % interval"}, [&](const Pair& pair) { return interval_cell(ratio(pair)); });
  }
  return {
      fmt::format("Energy: E_{0} / E_{1} of an epoch; efficiency: (E_{0} t_{0}) / (E_{1} t_{1}), the "
                  "energy-delay product; above 1, {1} is the better one.",
                  comparison.base_of(duel).label, comparison.other_of(duel).label)};
}

}  // namespace

Table case_table(const Comparison& comparison, const Duel& duel) {
  PairTable table(duel);
  add_names(table, duel);
  add_times(table, comparison, duel);
  std::vector<std::string> notes = {
      fmt::format("{0} / {1}: median epoch of {0} by that of {1}; above 1, {1} is faster.",
                  comparison.base_of(duel).label, comparison.other_of(duel).label)};
  for (const auto add : {add_startups, add_energies}) {
    for (std::string& note : add(table, comparison, duel)) notes.push_back(std::move(note));
  }
  return {pair_name(comparison, duel), std::move(table.columns), std::move(table.rows), std::move(notes)};
}

Table failure_table(const Comparison& comparison) {
  Table table{"What did not run", {{"contender"}, {"case"}, {"status"}, {"because"}}, {}, {}};
  const RowNames names(identities_of(comparison.contenders));
  for (const Contender& contender : comparison.contenders) {
    for (const RowFigures& figures : contender.rows) {
      if (figures.is_ok) continue;
      table.rows.push_back({{contender.label},
                            {names.of(figures.identity)},
                            {figures.status, {}, "", Tone::kBad},
                            {figures.status_reason}});
    }
  }
  return table;
}

}  // namespace gpubench
