// Ratios summed up by model and for each machine as a whole; GPU against CPU and precision against fp32
// within a file; measured peaks beside measured times; gains of several ranks.

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// Ratios of a versus, of a model or an operation, or of all.
struct ModelRow {
  const BaselineComparison* versus;
  SubjectRatios of;
};

/// A row a model, and one for all of several; of many versus_baseline the last one alone.
std::vector<ModelRow> model_rows(const Comparison& comparison, const PairRatio& kind) {
  const bool is_brief = comparison.versus_baseline.size() > kMostDetailed;
  std::vector<ModelRow> rows;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    std::vector<SubjectRatios> models = ratios_by_subject(versus, kind);
    if (is_brief && models.size() > 1) models.erase(models.begin(), models.end() - 1);
    for (SubjectRatios& model : models) rows.push_back({&versus, std::move(model)});
  }
  return rows;
}

void add_names(Columns<ModelRow>& table, const Comparison& comparison) {
  const bool is_of_ops = are_operations(comparison);
  table.text("pair", [](const ModelRow& row) { return pair_name(*row.versus); });
  table.text(is_of_ops ? "operation" : "model",
             [](const ModelRow& row) { return row.of.subject.empty() ? "all" : row.of.subject; });
  table.number(row_noun(comparison) + "s", "", [](const ModelRow& row) { return row.of.rows.size(); });
}

/// Adds the geometric mean of rows, which may be empty, with its interval.
template <class RowsOf>
void add_mean(Columns<ModelRow>& table, const std::string& heading, RowsOf make_rows) {
  const auto find_mean = [make_rows](const ModelRow& row) {
    const std::vector<RowRatio> rows = make_rows(row);
    return rows.empty() ? Measured<Estimate>(missing("")) : Measured<Estimate>(compute_mean(rows));
  };
  table.number(heading, "x", [=](const ModelRow& row) { return ratio_cell(find_mean(row)); });
  table.text("95 % interval", [=](const ModelRow& row) { return interval_text(find_mean(row)); });
}

/// The energy-delay products of the rows whose energies a row is about.
std::vector<RowRatio> list_energy_delays(const ModelRow& row) {
  if (row.of.subject.empty()) return row_ratios(*row.versus, kEnergyDelay);
  for (SubjectRatios& model : ratios_by_subject(*row.versus, kEnergyDelay)) {
    if (model.subject == row.of.subject) return std::move(model.rows);
  }
  return {};
}

/// Pairs of rows under `headings`: their times and their ratio.
Table gain_table(const Comparison& comparison, const std::vector<RowRatio>& gains,
                 const std::array<const char*, 4>& headings, std::string note) {
  using Gain = RowRatio;
  const RowNames names(make_identities(comparison.candidates));
  Columns<Gain> table(gains);
  table.text(headings[0], [](const Gain& gain) {
    const std::string& base = gain.base.candidate->label;
    const std::string& other = gain.other.candidate->label;
    return base == other ? other : other + " against " + base;
  });
  table.text("case", [&](const Gain& gain) { return names.of(gain.other.figures->identity); });
  table.number(headings[1], "s", [](const Gain& gain) { return gain.base.figures->seconds.value().value; });
  table.number(headings[2], "s", [](const Gain& gain) { return gain.other.figures->seconds.value().value; });
  table.number(headings[3], "x", [](const Gain& gain) { return ratio_cell(gain.ratio); });
  table.text("95 % interval", [](const Gain& gain) { return interval_text(gain.ratio); });
  return table.take("", {std::move(note)});
}

/// Adds a row of rates, in multiples of 10^9 a second.
void add_peak(const BaselineComparison& versus, const std::string& what, const Measured<double>& base,
              const Measured<double>& other, Table& table) {
  if (!base.has_value() && !other.has_value()) return;
  const auto scaled_cell = [](const Measured<double>& value) {
    return number_cell(value.then([](double rate) { return rate / 1e9; }));
  };
  Cell quotient = no_figure(base.has_value() ? other.reason() : base.reason());
  if (base.has_value() && other.has_value() && base.value() > 0)
    quotient = number_cell(other.value() / base.value());
  table.rows.push_back({{pair_name(versus)}, {what}, scaled_cell(base), scaled_cell(other), quotient});
}

Measured<double> peak_flops(const DeviceRecord& device, const std::string& precision) {
  const Measured<double> peak = find_value(device.peak_flops_per_second, precision);
  if (peak.has_value() || !device.peak_flops_per_second.has_value()) return peak;
  return missing("not measured in " + precision);
}

std::vector<OwnedScaling> make_scalings(const Comparison& comparison) {
  std::vector<OwnedScaling> rows;
  for (const Candidate& candidate : comparison.candidates) {
    for (const ScalingRow& row : candidate.scaling) rows.push_back({candidate.label, &row});
  }
  return rows;
}

}  // namespace

Cell speed_up_cell(double ratio) {
  const double percent = 100 * (ratio - 1);
  const bool is_small = percent > -9.95 && percent < 9.95;
  return {is_small ? fmt::format("{:+.1f} %", percent) : fmt::format("{:+.0f} %", percent), percent};
}

Table model_table(const Comparison& comparison) {
  using Row = ModelRow;
  const std::vector<Row> rows = model_rows(comparison, kSpeed);
  Columns<Row> table(rows);
  add_names(table, comparison);
  for (const auto& [heading, field] :
       {std::pair{"avg", &Average::arithmetic_mean}, {"min", &Average::least}, {"max", &Average::greatest}}) {
    table.number(heading, "x", [member = field](const Row& row) {
      return compute_average(mapped(row.of.rows, &RowRatio::ratio)).*member;
    });
  }
  add_mean(table, "geometric mean", [](const Row& row) { return row.of.rows; });
  table.text("verdict", [](const Row& row) {
    return outcome_cell(compute_mean(row.of.rows), compute_margin(row.of.rows));
  });
  const bool is_of_ops = are_operations(comparison);
  std::vector<std::string> notes = {fmt::format(
      "A figure is t_base / t_other of the median {} times of one {}, for B against A t_A / t_B; above 1 the "
      "first of the pair is faster. avg is their arithmetic mean, the geometric mean is (r_1 ... r_n)^(1/n).",
      is_of_ops ? "call" : "epoch", row_noun(comparison))};
  if (is_of_ops) {
    table.number("speed-up", "",
                 [](const Row& row) { return speed_up_cell(compute_mean(row.of.rows).value); });
    table.number("as published", "",
                 [](const Row& row) { return speed_up_cell(ratio_of_means(row.of.rows)); });
    notes.push_back(
        "speed-up: (geometric mean - 1) x 100; as published: that of the arithmetic means of the times, in "
        "which long rows count most.");
  }
  std::vector<std::string> labels;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (row_ratios(versus).empty()) labels.push_back(versus.other->label);
  }
  if (!labels.empty())
    notes.push_back("No case whose times compare with those of the baseline: " + join(labels) + ".");
  return table.take("", std::move(notes));
}

Table energy_model_table(const Comparison& comparison) {
  const std::vector<ModelRow> rows = model_rows(comparison, kEnergy);
  Columns<ModelRow> table(rows);
  add_names(table, comparison);
  add_mean(table, "energy", [](const ModelRow& row) { return row.of.rows; });
  add_mean(table, "energy-delay product", list_energy_delays);
  return table.take(
      "", {"Geometric means over cases of energy, E_base / E_other, and of the energy-delay product, "
           "(E_base t_base) / (E_other t_other), of mean epochs; above 1 the first of the pair is the better "
           "one."});
}

Table gpu_benefit_table(const Comparison& comparison) {
  return gain_table(comparison, gpu_benefits(comparison), {"pair", "CPU epoch", "GPU epoch", "benefit"},
                    "Benefit: t_cpu / t_gpu of the same file, in equal precision.");
}

Table precision_gain_table(const Comparison& comparison) {
  return gain_table(comparison, precision_gains(comparison), {"candidate", "fp32 epoch", "its epoch", "gain"},
                    "Gain: t_fp32 / t of the same file and device.");
}

Table peak_table(const Comparison& comparison) {
  Table table{"",
              {{"pair"}, {"figure"}, {"base", "", true}, {"other", "", true}, {"other / base", "x", true}},
              {},
              {"Peaks are those of `gpubench peak`, of a short trial at the start of the run, or of a row "
               "that reached more, in GFLOP/s and GB/s. Training that gains less than they promise is held "
               "back by something else."}};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const DeviceRecord& base = versus.base->device;
    const DeviceRecord& other = versus.other->device;
    const std::size_t before = table.rows.size();
    for (const std::string precision : {"fp32", "tf32", "bf16", "fp16"}) {
      add_peak(versus, "matrix product, " + precision + ", GFLOP/s", peak_flops(base, precision),
               peak_flops(other, precision), table);
    }
    add_peak(versus, "memory triad, GB/s", base.triad_bytes_per_second, other.triad_bytes_per_second, table);
    const std::vector<RowRatio> rows = row_ratios(versus);
    if (table.rows.size() == before || rows.empty()) continue;
    table.rows.push_back({{pair_name(versus)},
                          {are_operations(comparison) ? "calls, geometric mean" : "training, geometric mean"},
                          {"-"},
                          {"-"},
                          number_cell(compute_mean(rows).value)});
  }
  return table;
}

Table scaling_table(const Comparison& comparison) {
  using Row = OwnedScaling;
  const RowNames names(make_identities(comparison.candidates));
  const std::vector<Row> all = make_scalings(comparison);
  std::vector<Row> rows;  // Those of one work beneath each other.
  const auto find_place = [&](const Row& one) {
    return std::pair{scaled_work(*one.row, names), one.row->ranks};
  };
  for (const auto& [place, its_rows] : grouped(all, find_place)) append(rows, its_rows);
  const auto percent = [](Measured<double> ScalingRow::*figure) {
    return [figure](const Row& one) {
      return number_cell((one.row->*figure).then([](double value) { return 100 * value; }));
    };
  };
  Columns<Row> table(rows);
  table.text("case", [&](const Row& one) { return scaled_work(*one.row, names); });
  table.number("ranks", "", [](const Row& one) { return one.row->ranks; });
  table.text("", &Row::owner);
  table.number("samples/s", "", [](const Row& one) { return one.row->samples_per_second; });
  table.number("of one rank", "", [](const Row& one) { return one.row->single_samples_per_second; });
  table.number("efficiency", "%", [](const Row& one) { return efficiency_percent(*one.row).value; });
  table.text("95 % interval", [](const Row& one) { return interval_text(efficiency_percent(*one.row)); });
  table.add_known({"exchange", "%", true}, percent(&ScalingRow::communication_share), "not measured");
  table.add_known({"imbalance", "%", true}, percent(&ScalingRow::imbalance), "not measured");
  std::vector<std::string> notes{
      "efficiency: samples/s over the ranks, and over those of one rank by itself"};
  append(notes, table.absences());
  return table.take("", std::move(notes));
}

Chart scaling_chart(const Comparison& comparison) {
  return efficiency_chart(make_scalings(comparison), RowNames(make_identities(comparison.candidates)));
}

}  // namespace gpubench
