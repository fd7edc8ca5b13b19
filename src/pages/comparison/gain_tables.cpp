// What a file says by itself: GPU against CPU, precision against fp32; and measured peaks beside measured
// times.

#include <fmt/format.h>

#include "compare/gains.h"
#include "compare/row_names.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

std::vector<Cell> gain_row(const std::string& who, const RowNames& names, const RowRatio& gain) {
  return {{who},
          {names.of(gain.other_row->identity)},
          number_cell(gain.base_row->seconds.value().value),
          number_cell(gain.other_row->seconds.value().value),
          ratio_cell(gain.ratio),
          {interval_text(gain.ratio.interval)}};
}

/// Best measured peak of any precision in `names`, or why there is none.
Reading<double> peak_flops(const DeviceRecord& device, const std::string& precision) {
  if (!device.peak_flops_per_second.has_value()) return absent(device.peak_flops_per_second.reason());
  for (const auto& [name, value] : device.peak_flops_per_second.value()) {
    if (name == precision) return value;
  }
  return absent("not measured in " + precision);
}

Cell quotient_cell(const Reading<double>& base, const Reading<double>& other) {
  if (!base.has_value() || base.value() <= 0) return no_figure(base.reason());
  if (!other.has_value()) return no_figure(other.reason());
  return number_cell(other.value() / base.value());
}

void add_peak(const Comparison& comparison, const Duel& duel, const std::string& what, double unit,
              const Reading<double>& base, const Reading<double>& other, Table& table) {
  if (!base.has_value() && !other.has_value()) return;
  const auto scaled = [unit](const Reading<double>& value) {
    return value.has_value() ? Reading<double>(value.value() / unit) : value;
  };
  table.rows.push_back({{pair_name(comparison, duel)},
                        {what},
                        number_cell(scaled(base)),
                        number_cell(scaled(other)),
                        quotient_cell(base, other)});
}

void add_speed(const Comparison& comparison, const Duel& duel, Table& table) {
  const std::vector<Estimate> ratios = all_ratios(comparison, duel);
  if (ratios.empty()) return;
  table.rows.push_back({{pair_name(comparison, duel)},
                        {"training, geometric mean"},
                        {"-"},
                        {"-"},
                        number_cell(geometric_mean_of(ratios).value)});
}

}  // namespace

Table gpu_benefit_table(const Comparison& comparison) {
  Table table{"GPU benefit",
              {{"pair"},
               {"case"},
               {"CPU epoch", "s", true},
               {"GPU epoch", "s", true},
               {"benefit", "x", true},
               {"95 % interval"}},
              {},
              {"Benefit: t_cpu / t_gpu of the same file, in equal precision."}};
  const RowNames names(identities_of(comparison.contenders));
  for (const RowRatio& gain : gpu_benefits(comparison)) {
    table.rows.push_back(gain_row(gain.other->label + " against " + gain.base->label, names, gain));
  }
  return table;
}

Table precision_gain_table(const Comparison& comparison) {
  Table table{"Precision gain",
              {{"contender"},
               {"case"},
               {"fp32 epoch", "s", true},
               {"its epoch", "s", true},
               {"gain", "x", true},
               {"95 % interval"}},
              {},
              {"Gain: t_fp32 / t of the same file and device."}};
  const RowNames names(identities_of(comparison.contenders));
  for (const RowRatio& gain : precision_gains(comparison))
    table.rows.push_back(gain_row(gain.other->label, names, gain));
  return table;
}

Table peak_table(const Comparison& comparison) {
  constexpr double kGiga = 1e9;
  Table table{
      "Measured peaks beside measured times",
      {{"pair"}, {"figure"}, {"base", "", true}, {"other", "", true}, {"other / base", "x", true}},
      {},
      {"Peaks are those of `gpubench peak` or of a short trial at the start of the run, in GFLOP/s and GB/s. "
       "Training that gains less than they promise is held back by something else."}};
  for (const Duel& duel : comparison.duels) {
    const DeviceRecord& base = comparison.base_of(duel).device;
    const DeviceRecord& other = comparison.other_of(duel).device;
    const std::size_t before = table.rows.size();
    for (const std::string precision : {"fp32", "tf32", "bf16", "fp16"}) {
      add_peak(comparison, duel, "matrix product, " + precision + ", GFLOP/s", kGiga,
               peak_flops(base, precision), peak_flops(other, precision), table);
    }
    add_peak(comparison, duel, "memory triad, GB/s", kGiga, base.triad_bytes_per_second,
             other.triad_bytes_per_second, table);
    if (table.rows.size() > before) add_speed(comparison, duel, table);
  }
  return table;
}

}  // namespace gpubench
