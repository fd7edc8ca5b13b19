// What a file says by itself: GPU against CPU, precision against fp32; and measured peaks beside measured
// times.

#include <fmt/format.h>

#include "compare/row_names.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

/// The row of the contender that was asked for, however it was executed and laid out.
const RowFigures* find(const Contender& contender, const RowIdentity& wanted) {
  const auto asked = [](const RowIdentity& identity) {
    return identity.without({"device", "execution", "layout"});
  };
  for (const RowFigures& row : contender.rows) {
    if (row.seconds.has_value() && asked(row.identity) == asked(wanted)) return &row;
  }
  return nullptr;
}

std::vector<Cell> gain_row(const std::string& who, const std::string& name, const RowFigures& slow,
                           const RowFigures& fast) {
  const Estimate ratio = ratio_of_times(slow, fast);
  return {{who},
          {name},
          number_cell(slow.seconds.value().value),
          number_cell(fast.seconds.value().value),
          ratio_cell(ratio),
          {interval_text(ratio.interval)}};
}

void add_benefits(const Contender& cpu, const Contender& gpu, const RowNames& names, Table& table) {
  for (const RowFigures& fast : gpu.rows) {
    if (!fast.seconds.has_value()) continue;
    const RowFigures* slow = find(cpu, fast.identity);
    if (slow == nullptr) continue;
    table.rows.push_back(gain_row(gpu.label + " against " + cpu.label, names.of(fast.identity), *slow, fast));
  }
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
  for (const Contender& cpu : comparison.contenders) {
    if (!is_cpu(cpu)) continue;
    for (const Contender& gpu : comparison.contenders) {
      if (!is_cpu(gpu) && gpu.file == cpu.file && gpu.started_at == cpu.started_at)
        add_benefits(cpu, gpu, names, table);
    }
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
  const std::string plain = to_string(Precision::kFp32);
  for (const Contender& contender : comparison.contenders) {
    for (const RowFigures& figures : contender.rows) {
      if (figures.identity.at("precision") == plain || !figures.seconds.has_value()) continue;
      const RowFigures* base = find(contender, figures.identity.with("precision", plain));
      if (base != nullptr)
        table.rows.push_back(gain_row(contender.label, names.of(figures.identity), *base, figures));
    }
  }
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
