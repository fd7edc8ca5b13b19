// Figures of pairs. Formulas are those of the published comparisons, see docs/comparing.md.

#include <algorithm>

#include <fmt/format.h>

#include "compare/comparison.h"
#include "compare/verdict.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/training_mode.h"

namespace gpubench {
namespace {

/// Why there is no figure of the metric; empty where nothing is in the way.
std::string obstacle(Metric metric, const Pair& pair) {
  if (pair.base == nullptr) return fmt::format("{} has no such case", pair.versus->base->label);
  if (pair.other == nullptr) return fmt::format("{} has no such case", pair.versus->other->label);
  if (comparability_on(metric, pair) != Comparability::kRefused) return "";
  for (const Difference& difference : pair.differences) {
    if (difference.on(metric) != Comparability::kRefused) continue;
    return "refused: " + format_sentence(difference, *pair.versus);
  }
  return "refused";
}

/// Both values of a figure that belongs to the metric, or why not.
template <class T>
Measured<std::pair<T, T>> both(Metric metric, const Pair& pair, Measured<T> RowFigures::*figure) {
  const std::string why = obstacle(metric, pair);
  if (!why.empty() || pair.base == nullptr || pair.other == nullptr) return missing(why);
  const Measured<T>& left = pair.base->*figure;
  const Measured<T>& right = pair.other->*figure;
  if (!left.has_value()) return missing(pair.versus->base->label + ": " + left.reason());
  if (!right.has_value()) return missing(pair.versus->other->label + ": " + right.reason());
  return std::pair{left.value(), right.value()};
}

/// Time of the baseline's row by that of the other one, which both have.
Estimate times_ratio(const Pair& pair) {
  return ratio_of_times({pair.versus->base, pair.base}, {pair.versus->other, pair.other});
}

/// Of figures of energy that both rows have. What sensors of different kinds get wrong does not fall out of
/// the ratio, and is not known.
Estimate ratio_of_energies(const Pair& pair, double base, double other, RoundFigures RowFigures::*processes) {
  const Candidate& left = *pair.versus->base;
  const Candidate& right = *pair.versus->other;
  Estimate ratio = ratio_between({left, base, pair.base->*processes}, {right, other, pair.other->*processes},
                                 find_measuring(left, right));
  if (!have_one_sensor({&left, pair.base}, {&right, pair.other}))
    ratio.interval = missing("unlike power sensors");
  return ratio;
}

/// Of the processes of a row that has an energy; of a publication, which tells of none, by its median epoch.
double compute_energy_delay(const RowFigures& row) {
  if (row.process_joule_seconds.size() > 0) return compute_median(row.process_joule_seconds.values);
  return row.epoch_joules.value().value * row.seconds.value().value;
}

/// However it was executed and laid out, and wherever.
RowIdentity make_asked(const RowIdentity& identity) {
  return identity.without({"device", "execution", "layout"});
}

/// The row of `base` of the same work in `precision` that is most like `fast`.
const RowFigures* counterpart(const Candidate& base, const std::string& precision, const RowFigures& fast) {
  const RowIdentity wanted = fast.identity.with("precision", precision);
  std::vector<const RowFigures*> alike;
  for (const RowFigures& slow : base.rows) {
    if (slow.seconds.has_value() && make_asked(slow.identity) == make_asked(wanted)) alike.push_back(&slow);
  }
  return find_nearest_row(fast.identity, alike);
}

void add(std::vector<RowRatio>& gains, const Candidate& base, const Candidate& other, const RowFigures& fast,
         const std::string& precision) {
  if (!fast.seconds.has_value()) return;
  const RowFigures* slow = counterpart(base, precision, fast);
  if (slow == nullptr) return;
  gains.push_back({&base, &other, slow, &fast, ratio_of_times({&base, slow}, {&other, &fast})});
}

}  // namespace

Comparability comparability_on(Metric metric, const Pair& pair) {
  const Comparability worst = std::max(comparability_on(metric, pair.versus->differences),
                                       comparability_on(metric, pair.differences));
  return pair.versus->is_forced ? std::min(worst, Comparability::kCaveat) : worst;
}

Measured<Estimate> speed_ratio(const Pair& pair) {
  const auto times = both(Metric::kTime, pair, &RowFigures::seconds);
  return times.then([&](const auto&) { return times_ratio(pair); });
}

Measured<Estimate> energy_ratio(const Pair& pair) {
  const auto joules = both(Metric::kEnergy, pair, &RowFigures::epoch_joules);
  return joules.then([&](const auto& figures) -> Measured<Estimate> {
    const auto& [base, other] = figures;
    if (!(base.value > 0) || !(other.value > 0)) return missing("no measurable energy");
    return ratio_of_energies(pair, base.value, other.value, &RowFigures::process_joules);
  });
}

Measured<Estimate> energy_delay_ratio(const Pair& pair) {
  return energy_ratio(pair).then([&](const Estimate&) {
    return speed_ratio(pair).then([&](const Estimate&) {
      return ratio_of_energies(pair, compute_energy_delay(*pair.base), compute_energy_delay(*pair.other),
                               &RowFigures::process_joule_seconds);
    });
  });
}

Measured<std::pair<double, double>> find_startups(const Pair& pair) {
  return both(Metric::kStartup, pair, &RowFigures::startup_seconds);
}

Estimate compute_mean(std::span<const RowRatio> rows) {
  return mean_of_rounds(mapped(rows, [](const RowRatio& row) {
    return RoundRatio{row.ratio, &(row.base_row->*row.processes), &(row.other_row->*row.processes),
                      find_measuring(*row.base, *row.other)};
  }));
}

Average compute_average(std::span<const RowRatio> rows) {
  Average average = compute_average(mapped(rows, &RowRatio::ratio));
  average.geometric_mean = compute_mean(rows);
  return average;
}

double compute_margin(std::span<const RowRatio> rows) {
  double margin = 0;
  for (const RowRatio& row : rows) margin = std::max(margin, compute_margin(*row.base, *row.other));
  return margin;
}

double compute_margin(const Pair& pair) { return compute_margin(*pair.versus->base, *pair.versus->other); }

std::vector<RowRatio> row_ratios(const BaselineComparison& versus, const PairRatio& kind) {
  std::vector<RowRatio> ratios;
  for (const Pair& pair : versus.pairs) {
    const Measured<Estimate> ratio = kind.of(pair);
    if (ratio.has_value())
      ratios.push_back({versus.base, versus.other, pair.base, pair.other, ratio.value(), kind.processes});
  }
  return ratios;
}

std::vector<SubjectRatios> ratios_by_subject(const BaselineComparison& versus, const PairRatio& kind) {
  std::vector<SubjectRatios> subjects;
  for (const RowRatio& ratio : row_ratios(versus, kind)) {
    const std::string& subject = ratio.base_row->identity.subject();
    auto found = std::ranges::find(subjects, subject, &SubjectRatios::subject);
    if (found == subjects.end()) found = subjects.insert(found, {subject, {}});
    found->rows.push_back(ratio);
  }
  if (subjects.size() < 2) return subjects;
  SubjectRatios all;
  for (const SubjectRatios& one : subjects) append(all.rows, one.rows);
  subjects.push_back(std::move(all));
  return subjects;
}

double ratio_of_means(const std::vector<RowRatio>& rows) {
  double base = 0;
  double other = 0;
  // Their numbers are equal, so that the ratio of sums is that of means.
  for (const RowRatio& row : rows) {
    base += row.base_row->seconds.value().value;
    other += row.other_row->seconds.value().value;
  }
  return base / other;
}

std::vector<RowRatio> gpu_benefits(const Comparison& comparison) {
  std::vector<RowRatio> gains;
  for (const Candidate& cpu : comparison.candidates) {
    if (!is_cpu(cpu)) continue;
    for (const Candidate& gpu : comparison.candidates) {
      if (is_cpu(gpu) || !is_of_same_file(cpu, gpu)) continue;
      for (const RowFigures& fast : gpu.rows) add(gains, cpu, gpu, fast, fast.identity.at("precision"));
    }
  }
  return gains;
}

std::vector<RowRatio> precision_gains(const Comparison& comparison) {
  const std::string plain = to_string(Precision::kFp32);
  std::vector<RowRatio> gains;
  for (const Candidate& candidate : comparison.candidates) {
    for (const RowFigures& fast : candidate.rows) {
      if (fast.identity.at("precision") != plain) add(gains, candidate, candidate, fast, plain);
    }
  }
  return gains;
}

}  // namespace gpubench
