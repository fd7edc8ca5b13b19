// What a file says by itself: GPU against CPU, precision against fp32; and measured peaks beside measured
// times.

#include <functional>

#include <fmt/format.h>

#include "compare/contender_cases.h"
#include "compare/sections.h"
#include "compare/words.h"

namespace gpubench {
namespace {

bool is_same_work(const CaseFigures& a, const CaseFigures& b) {
  return a.model == b.model && a.sizes == b.sizes && a.dataset == b.dataset && a.batch_size == b.batch_size &&
         a.train_samples == b.train_samples && a.protocol == b.protocol && a.mode.loader == b.mode.loader;
}

const CaseFigures* find(const Contender& contender,
                        const std::function<bool(const CaseFigures&)>& is_wanted) {
  for (const CaseFigures& figures : contender.cases) {
    if (is_wanted(figures) && figures.epoch_seconds.has_value()) return &figures;
  }
  return nullptr;
}

std::vector<Cell> gain_row(const std::string& who, const std::string& name, const CaseFigures& slow,
                           const CaseFigures& fast) {
  const Estimate ratio = ratio_of_times(slow, fast);
  return {{who},
          {name},
          number_cell(slow.epoch_seconds.value().value),
          number_cell(fast.epoch_seconds.value().value),
          ratio_cell(ratio),
          {interval_text(ratio.interval)}};
}

bool is_cpu(const Contender& contender) { return contender.device.name == "cpu"; }

void add_benefits(const Contender& cpu, const Contender& gpu, Table& table) {
  for (const CaseFigures& fast : gpu.cases) {
    if (!fast.epoch_seconds.has_value()) continue;
    const CaseFigures* slow = find(cpu, [&](const CaseFigures& figures) {
      return is_same_work(figures, fast) && figures.mode.precision == fast.mode.precision;
    });
    if (slow != nullptr) {
      table.rows.push_back(gain_row(gpu.label + " against " + cpu.label, case_name(fast), *slow, fast));
    }
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
  if (!base.has_value() || base.value() <= 0) return {"-", {}, base.reason(), Tone::kMuted};
  if (!other.has_value()) return {"-", {}, other.reason(), Tone::kMuted};
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
  for (const Contender& cpu : comparison.contenders) {
    if (!is_cpu(cpu)) continue;
    for (const Contender& gpu : comparison.contenders) {
      if (!is_cpu(gpu) && gpu.file == cpu.file && gpu.started_at == cpu.started_at)
        add_benefits(cpu, gpu, table);
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
  for (const Contender& contender : comparison.contenders) {
    for (const CaseFigures& figures : contender.cases) {
      if (figures.mode.precision == Precision::kFp32 || !figures.epoch_seconds.has_value()) continue;
      const CaseFigures* plain = find(contender, [&](const CaseFigures& other) {
        return is_same_work(other, figures) && other.mode.precision == Precision::kFp32;
      });
      if (plain != nullptr)
        table.rows.push_back(gain_row(contender.label, case_name(figures), *plain, figures));
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
