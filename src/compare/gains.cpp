#include "compare/gains.h"

#include "gpubench/record/training_mode.h"

namespace gpubench {
namespace {

/// However it was executed and laid out, and wherever.
RowIdentity asked_of(const RowIdentity& identity) {
  return identity.without({"device", "execution", "layout"});
}

/// The row of `base` of the same work in `precision` that is most like `fast`.
const RowFigures* counterpart(const Contender& base, const std::string& precision, const RowFigures& fast) {
  const RowIdentity wanted = fast.identity.with("precision", precision);
  const RowFigures* nearest = nullptr;
  for (const RowFigures& slow : base.rows) {
    if (!slow.seconds.has_value() || asked_of(slow.identity) != asked_of(wanted)) continue;
    const bool is_nearer = nearest == nullptr || distance(slow.identity, fast.identity) <
                                                     distance(nearest->identity, fast.identity);
    if (is_nearer) nearest = &slow;
  }
  return nearest;
}

void add(std::vector<RowRatio>& gains, const Contender& base, const Contender& other, const RowFigures& fast,
         const std::string& precision) {
  if (!fast.seconds.has_value()) return;
  const RowFigures* slow = counterpart(base, precision, fast);
  if (slow != nullptr) gains.push_back({&base, &other, slow, &fast, ratio_of_times(*slow, fast)});
}

bool is_of_same_file(const Contender& a, const Contender& b) {
  return a.file == b.file && a.started_at == b.started_at;
}

}  // namespace

std::vector<RowRatio> gpu_benefits(const Comparison& comparison) {
  std::vector<RowRatio> gains;
  for (const Contender& cpu : comparison.contenders) {
    if (!is_cpu(cpu)) continue;
    for (const Contender& gpu : comparison.contenders) {
      if (is_cpu(gpu) || !is_of_same_file(cpu, gpu)) continue;
      for (const RowFigures& fast : gpu.rows) add(gains, cpu, gpu, fast, fast.identity.at("precision"));
    }
  }
  return gains;
}

std::vector<RowRatio> precision_gains(const Comparison& comparison) {
  const std::string plain = to_string(Precision::kFp32);
  std::vector<RowRatio> gains;
  for (const Contender& contender : comparison.contenders) {
    for (const RowFigures& fast : contender.rows) {
      if (fast.identity.at("precision") != plain) add(gains, contender, contender, fast, plain);
    }
  }
  return gains;
}

}  // namespace gpubench
