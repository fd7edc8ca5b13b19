#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

using Row = CandidateRow;
using Notes = std::vector<std::string>;

Measured<Estimate> epoch_joules(const Row& row) { return row.row->estimate("mean_epoch_joules"); }

double joules(const Row& row) { return epoch_joules(row).value().value; }

std::vector<Row> list_rows_with_energy(const std::vector<Candidate>& candidates) {
  std::vector<Row> rows = list_rows(candidates);
  std::erase_if(rows, [](const Row& row) { return !epoch_joules(row).has_value(); });
  return rows;
}

void add_quantities(Columns<Row>& table, const std::vector<Row>& rows) {
  using E = EnergyDetails;
  const auto add = [&](const char* heading, const char* unit, bool is_detail, Measured<double> E::*member) {
    const auto make_cell = [&](const Row& row) { return number_cell(row.row->energy.*member); };
    table.add_known({heading, unit, true, is_detail}, make_cell, make_cell(rows.front()).note);
  };
  table.add_known({"J/1,000 samples", "", true}, [](const Row& row) {
    return number_cell(row.row->estimate("joules_per_1000_samples").then(&Estimate::value));
  });
  add("mean power", "W", false, &E::mean_watts);
  table.add_known({"95 % interval", "", false, true},
                  [](const Row& row) { return interval_text(epoch_joules(row)); });
  add("peak power", "W", true, &E::peak_watts);
  add("idle power", "W", true, &E::idle_watts);
  add("net energy", "J", true, &E::net_joules);
}

/// Returns the first list of at least `least` values from a source of the case's device, or of no known
/// device.
template <class T>
std::vector<T> make_list(const CaseRecord& c, std::vector<T> EnergyRecord::*list, std::size_t least = 1) {
  for (const EnergyRecord& source : c.energy) {
    const bool may_be_any = source.device.empty() && source.device_note.empty();
    if ((source.device == c.device || may_be_any) && (source.*list).size() >= least) return source.*list;
  }
  return {};
}

/// Returns "heat in 12 of 40 epochs".
std::string throttle_text(const std::vector<std::string>& reasons) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& reason : reasons) {
    if (!reason.empty()) ++counts[one_line(reason)];
  }
  const auto describe = [&](const auto& entry) {
    return fmt::format("{} in {} of {} epochs", entry.first, entry.second, reasons.size());
  };
  return join(mapped(counts, describe), "; ");
}

Series make_watts(const EnergyRecord& source) {
  std::string name = one_line(source.meter + (source.part.empty() ? "" : " " + source.part));
  if (!source.watts_start.has_value() || !source.watts_step.has_value()) return {std::move(name), {}};
  const double step = source.watts_step.value().value;
  return make_line(std::move(name), source.watts, 1, source.watts_start.value().value + step / 2, step);
}

Notes list_timed_span(const CaseRecord& c) {
  if (steady_epochs(c).empty()) return {};
  const auto find = [&](std::int64_t epoch) {
    return std::ranges::find(c.timeline, "epoch " + std::to_string(epoch), &Phase::name);
  };
  const auto first = find(c.warmup_epochs + 1);
  const auto last = find(std::ssize(c.epoch_seconds));
  if (first == c.timeline.end() || last == c.timeline.end()) return {};
  return {fmt::format("Timed epochs: from {:.1f} s to {:.1f} s.", first->start.value,
                      last->start.value + last->duration.value)};
}

/// Makes a chart by epoch of the first cases that have the list.
Chart state_chart(const RunRecord& run, std::string title, Axis y, std::vector<double> EnergyRecord::*list,
                  double unit) {
  const CaseNames names(run.cases);
  Chart chart{std::move(title), ChartKind::kLines, {"epoch"}, std::move(y), {}};
  for (const CaseRecord& c : run.cases) {
    Series line = make_line(names.one(c), make_list(c, list, kLeastPoints), unit);
    if (!line.points.empty() && chart.series.size() < kMostSeries) chart.series.push_back(std::move(line));
  }
  return chart;
}

/// Makes charts of the first cases with power readings, a line per source.
std::vector<Chart> power_charts(const RunRecord& run) {
  constexpr std::size_t kMostCharts = 4;
  const CaseNames names(run.cases);
  std::vector<Chart> charts;
  for (const CaseRecord& c : run.cases) {
    const auto has_line = [](const EnergyRecord& source) { return source.watts.size() >= kLeastPoints; };
    if (std::ranges::none_of(c.energy, has_line)) continue;
    Chart chart{
        "Power of " + names.one(c), ChartKind::kLines, {"time since case start", "s"}, {"power", "W"}, {}};
    chart.series = mapped(c.energy, make_watts);
    std::erase_if(chart.series, [](const Series& series) { return series.points.empty(); });
    chart.notes = list_timed_span(c);
    if (!chart.series.empty() && charts.size() < kMostCharts) charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace

Table sustained_table(const RunRecord& run) {
  std::vector<const CaseRecord*> cases;
  for (const CaseRecord& c : run.cases) {
    if (c.status == RowStatus::kOk && sustained_speed(c).has_value()) cases.push_back(&c);
  }
  const CaseNames names(run.cases);
  Columns<const CaseRecord*> table(cases);
  const auto speed = [](const CaseRecord* c) { return sustained_speed(*c).value(); };
  table.text("case", [&](const CaseRecord* c) { return names.one(*c); });
  table.number("first minute", "samples/s",
               [&](const CaseRecord* c) { return speed(c).burst_samples_per_second; });
  table.number("sustained", "samples/s",
               [&](const CaseRecord* c) { return speed(c).sustained_samples_per_second; });
  table.number("of first minute", "%", [&](const CaseRecord* c) {
    Cell cell = number_cell(100 * speed(c).kept);
    if (speed(c).onset_seconds.has_value()) cell.tone = Tone::kWarning;
    return cell;
  });
  table.number("slower after", "s", [&](const CaseRecord* c) { return speed(c).onset_seconds; });
  table.add_known({"throttled by"}, [](const CaseRecord* c) {
    return throttle_text(make_list(*c, &EnergyRecord::epoch_throttle));
  });
  return table.take("", {"First minute: median of the timed epochs that begin in the first minute",
                         "Sustained: median of the second half of the timed epochs"});
}

Table sources_table(const RunRecord& run) {
  const CaseNames names(run.cases);
  std::vector<EnergyRecord> sources;
  std::vector<std::string> cases;
  std::set<std::string> notes;
  for (const CaseRecord& c : run.cases) {
    for (const EnergyRecord& source : c.energy) {
      sources.push_back(source);
      cases.push_back(names.one(c));
      if (!source.device_note.empty())
        notes.insert(one_line(source.part + " is not attributed to a device: " + source.device_note));
      for (const std::string& note : source.notes) notes.insert(one_line(source.meter + ": " + note));
    }
  }
  Table table = folded(record_table(energy_fields(), sources));
  insert_column(table, "case", cases);
  append(table.notes, notes);
  return table;
}

double compute_cost(double joules, double price_kwh) {
  constexpr double kJoulesPerKwh = 3.6e6;
  return joules / kJoulesPerKwh * price_kwh;
}

Table energy_table(const std::vector<Candidate>& candidates, std::optional<double> price_kwh) {
  const std::vector<Row> rows = list_rows_with_energy(candidates);
  if (rows.empty()) return {};
  Columns<Row> table(rows);
  if (candidates.size() > 1)
    table.add_known({"machine"}, [](const Row& row) { return one_line(row.candidate->name); });
  const RowNames names(make_identities(candidates));
  table.add_known({"case"}, [&](const Row& row) { return names.of(row.row->identity); });
  table.number("epoch energy", "J", joules);
  Notes notes;
  if (price_kwh) {
    table.number("cost of 1,000 epochs", "",
                 [&](const Row& row) { return 1000 * compute_cost(joules(row), *price_kwh); });
    notes.push_back(fmt::format("Cost of the gross energy at {:g} per kWh", *price_kwh));
  }
  add_quantities(table, rows);
  for (const auto& [heading, field] : {std::pair{"meter", &EnergyDetails::meter},
                                       {"scope", &EnergyDetails::scope},
                                       {"method", &EnergyDetails::method}}) {
    table.add_known({heading, "", false, true},
                    [member = field](const Row& row) { return one_line(row.row->energy.*member); });
  }
  if (std::ranges::all_of(rows, [](const Row& row) { return row.row->energy.method.empty(); }))
    notes.emplace_back("Energy: published power times published epoch time");
  append(notes, table.absences());
  return folded(table.take("", std::move(notes)));
}

std::vector<Paragraph> energy_absences(const std::vector<Candidate>& candidates) {
  const std::string default_reason = case_energy({}).reason();
  bool is_relevant = !list_rows_with_energy(candidates).empty();
  std::vector<Paragraph> absences;
  for (const Candidate& candidate : candidates) {
    std::vector<std::string> reasons;
    for (const ComparedRow& row : candidate.rows) {
      const Measured<Estimate> energy = row.estimate("mean_epoch_joules");
      if (row.is_ok && !energy.has_value()) reasons.push_back(one_line(energy.reason()));
    }
    if (reasons.empty()) continue;
    is_relevant = is_relevant || reasons.front() != default_reason;
    absences.push_back(
        {fmt::format("Energy: not measured for {} ({} of {} cases): {}.", one_line(candidate.name),
                     reasons.size(), count_ok_rows(candidate), reasons.front()),
         Tone::kMuted});
  }
  return is_relevant ? absences : std::vector<Paragraph>();
}

void add_energy(std::vector<Section>& sections, const RunRecord& run, std::optional<double> price_kwh) {
  std::vector<Candidate> devices = make_candidates(run, "");
  for (Candidate& device : devices) device.name = device.device.name;
  add_section(sections, "Energy", energy_table(devices, price_kwh), power_charts(run));
  add_section(sections, "Temperature and clock",
              state_chart(run, "Temperature by epoch", {"highest temperature", "°C"},
                          &EnergyRecord::temperature_celsius, 1),
              state_chart(run, "Clock by epoch", {"mean clock", "MHz"}, &EnergyRecord::clock_hertz, 1e6));
}

}  // namespace gpubench
