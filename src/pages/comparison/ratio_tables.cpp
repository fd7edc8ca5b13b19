// Ratios summed up by model and for each machine as a whole; what a file says by itself, GPU against CPU and
// precision against fp32; measured peaks beside measured times.

#include "compare/row_names.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// Ratios of a versus, of a model or of all.
struct ModelRow {
  const BaselineComparison* versus;
  SubjectRatios of;
};

/// A row a model, and one for all of several; of many versus_baseline the last one alone. Duels without a
/// ratio have none.
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

void add_names(Columns<ModelRow>& table) {
  table.add({"pair"}, [](const ModelRow& row) { return pair_name(*row.versus); });
  table.add({"model"}, [](const ModelRow& row) { return row.of.subject.empty() ? "all" : row.of.subject; });
  table.add({"cases", "", true}, [](const ModelRow& row) { return count_cell(row.of.rows.size()); });
}

/// Names them in a line below the table; empty where all have a ratio.
std::vector<std::string> duels_without_ratio(const Comparison& comparison) {
  std::vector<std::string> labels;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (row_ratios(versus).empty()) labels.push_back(versus.other->label);
  }
  if (labels.empty()) return {};
  return {"No case whose times compare with those of the baseline: " + join(labels) + "."};
}

/// The geometric mean; absent for no rows.
Measured<Estimate> mean_or_none(const std::vector<RowRatio>& rows) {
  if (rows.empty()) return missing("");
  return compute_mean(rows);
}

/// The geometric mean, with its interval.
template <class RowsOf>
void add_mean(Columns<ModelRow>& table, const std::string& heading, RowsOf make_rows) {
  table.add({heading, "x", true},
            [=](const ModelRow& row) { return ratio_cell(mean_or_none(make_rows(row))); });
  table.add({"95 % interval"},
            [=](const ModelRow& row) { return interval_text(mean_or_none(make_rows(row))); });
}

const std::vector<RowRatio>& own_rows(const ModelRow& row) { return row.of.rows; }

/// The energy-delay products of what the energies of a row are of.
std::vector<RowRatio> list_energy_delays(const ModelRow& row) {
  if (row.of.subject.empty()) return row_ratios(*row.versus, kEnergyDelay);
  for (SubjectRatios& model : ratios_by_subject(*row.versus, kEnergyDelay)) {
    if (model.subject == row.of.subject) return std::move(model.rows);
  }
  return {};
}

/// What was held against each other, under `headings`: its times and their ratio.
Table gain_table(const Comparison& comparison, const std::vector<RowRatio>& gains,
                 const std::array<const char*, 4>& headings, std::string note) {
  const RowNames names(make_identities(comparison.candidates));
  const auto time_cell = [](const RowFigures& row) { return number_cell(row.seconds.value().value); };
  Columns<RowRatio> table(gains);
  table.add({headings[0]}, [](const RowRatio& gain) {
    const bool is_own = gain.other == gain.base;
    return is_own ? gain.other->label : gain.other->label + " against " + gain.base->label;
  });
  table.add({"case"}, [&](const RowRatio& gain) { return names.of(gain.other_row->identity); });
  table.add({headings[1], "s", true}, [&](const RowRatio& gain) { return time_cell(*gain.base_row); });
  table.add({headings[2], "s", true}, [&](const RowRatio& gain) { return time_cell(*gain.other_row); });
  table.add({headings[3], "x", true}, [](const RowRatio& gain) { return ratio_cell(gain.ratio); });
  table.add({"95 % interval"}, [](const RowRatio& gain) { return interval_text(gain.ratio); });
  return table.take("", {std::move(note)});
}

Cell quotient_cell(const Measured<double>& base, const Measured<double>& other) {
  if (!base.has_value() || base.value() <= 0) return no_figure(base.reason());
  if (!other.has_value()) return no_figure(other.reason());
  return number_cell(other.value() / base.value());
}

/// Of rates a second, in units of 10^9.
void add_peak(const BaselineComparison& versus, const std::string& what, const Measured<double>& base,
              const Measured<double>& other, Table& table) {
  if (!base.has_value() && !other.has_value()) return;
  constexpr double kUnit = 1e9;
  const auto scaled_cell = [](const Measured<double>& value) {
    return number_cell(value.then([](double rate) { return rate / kUnit; }));
  };
  table.rows.push_back(
      {{pair_name(versus)}, {what}, scaled_cell(base), scaled_cell(other), quotient_cell(base, other)});
}

void add_speed(const BaselineComparison& versus, Table& table) {
  const std::vector<RowRatio> rows = row_ratios(versus);
  if (rows.empty()) return;
  const Cell mean = number_cell(compute_mean(rows).value);
  table.rows.push_back({{pair_name(versus)}, {"training, geometric mean"}, {"-"}, {"-"}, mean});
}

}  // namespace

Table model_table(const Comparison& comparison) {
  const std::vector<ModelRow> rows = model_rows(comparison, kSpeed);
  Columns<ModelRow> table(rows);
  add_names(table);
  for (const auto& [heading, field] :
       {std::pair{"avg", &Average::arithmetic_mean}, {"min", &Average::least}, {"max", &Average::greatest}}) {
    table.add({heading, "x", true}, [member = field](const ModelRow& row) {
      return number_cell(compute_average(row.of.rows).*member);
    });
  }
  add_mean(table, "geometric mean", own_rows);
  table.add({"verdict"}, [](const ModelRow& row) {
    return outcome_cell(mean_or_none(row.of.rows), compute_margin(row.of.rows));
  });
  std::vector<std::string> notes = {
      "A figure is t_base / t_other of the median epoch times of one case, for B against A t_A / t_B; above "
      "1 the first of the pair is faster. avg is their arithmetic mean, the geometric mean is (r_1 ... "
      "r_n)^(1/n)."};
  append(notes, duels_without_ratio(comparison));
  return table.take("", std::move(notes));
}

Table energy_model_table(const Comparison& comparison) {
  const std::vector<ModelRow> rows = model_rows(comparison, kEnergy);
  Columns<ModelRow> table(rows);
  add_names(table);
  add_mean(table, "energy", own_rows);
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

Measured<double> peak_flops(const DeviceRecord& device, const std::string& precision) {
  if (!device.peak_flops_per_second.has_value()) return missing(device.peak_flops_per_second.reason());
  for (const auto& [name, value] : device.peak_flops_per_second.value()) {
    if (name == precision) return value;
  }
  return missing("not measured in " + precision);
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
    if (table.rows.size() > before) add_speed(versus, table);
  }
  return table;
}

}  // namespace gpubench
