#include "compare/gains.h"

#include "compare/contender_cases.h"

namespace gpubench {
namespace {

bool is_same_work(const CaseFigures& a, const CaseFigures& b) {
  return a.model == b.model && a.sizes == b.sizes && a.dataset == b.dataset && a.batch_size == b.batch_size &&
         a.train_samples == b.train_samples && a.protocol == b.protocol && a.mode.loader == b.mode.loader;
}

/// The case of `base` of the same work in `precision` that is most like `fast`.
const CaseFigures* counterpart(const Contender& base, Precision precision, const CaseFigures& fast) {
  const CaseFigures* nearest = nullptr;
  for (const CaseFigures& slow : base.cases) {
    const bool has_time = slow.epoch_seconds.has_value();
    if (!has_time || slow.mode.precision != precision || !is_same_work(slow, fast)) continue;
    if (nearest == nullptr || distance(slow, fast) < distance(*nearest, fast)) nearest = &slow;
  }
  return nearest;
}

void add(std::vector<CaseRatio>& gains, const Contender& base, const Contender& other,
         const CaseFigures& fast, Precision precision) {
  if (!fast.epoch_seconds.has_value()) return;
  const CaseFigures* slow = counterpart(base, precision, fast);
  if (slow != nullptr) gains.push_back({&base, &other, slow, &fast, ratio_of_times(*slow, fast)});
}

bool is_of_same_file(const Contender& a, const Contender& b) {
  return a.file == b.file && a.started_at == b.started_at;
}

}  // namespace

std::vector<CaseRatio> gpu_benefits(const Comparison& comparison) {
  std::vector<CaseRatio> gains;
  for (const Contender& cpu : comparison.contenders) {
    if (!is_cpu(cpu)) continue;
    for (const Contender& gpu : comparison.contenders) {
      if (is_cpu(gpu) || !is_of_same_file(cpu, gpu)) continue;
      for (const CaseFigures& fast : gpu.cases) add(gains, cpu, gpu, fast, fast.mode.precision);
    }
  }
  return gains;
}

std::vector<CaseRatio> precision_gains(const Comparison& comparison) {
  std::vector<CaseRatio> gains;
  for (const Contender& contender : comparison.contenders) {
    for (const CaseFigures& fast : contender.cases) {
      if (fast.mode.precision != Precision::kFp32) add(gains, contender, contender, fast, Precision::kFp32);
    }
  }
  return gains;
}

}  // namespace gpubench
