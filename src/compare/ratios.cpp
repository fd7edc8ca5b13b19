// Figures of pairs. Formulas are those of the published comparisons, see docs/comparing.md.

#include <algorithm>

#include <fmt/format.h>

#include "compare/comparison.h"
#include "gpubench/core/stats/median_ratio.h"

namespace gpubench {
namespace {

/// Why there is no figure of the metric; empty where nothing is in the way.
std::string obstacle(Metric metric, const Comparison& comparison, const Duel& duel, const Pair& pair) {
  if (pair.base == nullptr) return fmt::format("{} has no such case", comparison.base_of(duel).label);
  if (pair.other == nullptr) return fmt::format("{} has no such case", comparison.other_of(duel).label);
  if (judgement_on(metric, comparison, duel, pair) != Judgement::kRefused) return "";
  for (const Difference& difference : pair.differences) {
    if (difference.on(metric) != Judgement::kRefused) continue;
    return fmt::format("refused: {} {} against {}", difference.what, difference.left, difference.right);
  }
  return "refused";
}

/// Both values of a figure, or why not.
template <class T>
Reading<std::pair<T, T>> both(const std::string& obstacle, const Comparison& comparison, const Duel& duel,
                              const Pair& pair, Reading<T> RowFigures::*figure) {
  if (!obstacle.empty()) return absent(obstacle);
  const Reading<T>& left = pair.base->*figure;
  const Reading<T>& right = pair.other->*figure;
  if (!left.has_value()) return absent(comparison.base_of(duel).label + ": " + left.reason());
  if (!right.has_value()) return absent(comparison.other_of(duel).label + ": " + right.reason());
  return std::pair{left.value(), right.value()};
}

bool holds(const Reading<Interval>& interval, double value) {
  return interval.has_value() && interval.value().low <= value && value <= interval.value().high;
}

BreakEven break_even_of(double base_startup, double base_epoch, double other_startup, double other_epoch) {
  using Kind = BreakEven::Kind;
  const double startup_lead = other_startup - base_startup;  // Above 0: the baseline starts earlier.
  const double epoch_lead = base_epoch - other_epoch;        // Above 0: the other's epochs are faster.
  if (startup_lead <= 0 && epoch_lead >= 0) return {Kind::kOtherAlways, 0};
  if (startup_lead >= 0 && epoch_lead <= 0) return {Kind::kBaseAlways, 0};
  const double epochs = startup_lead / epoch_lead;
  return {epoch_lead > 0 ? Kind::kOtherOvertakes : Kind::kBaseOvertakes, epochs};
}

/// A product of figures that are not above 0 has no ratio.
bool are_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

bool tell_scatter(const std::vector<double>& over, const std::vector<double>& under) {
  return std::min(over.size(), under.size()) >= kEnoughProcesses && are_positive(over) && are_positive(under);
}

/// Energy of `over` by that of `under`, which both have: from the scatter of their processes where these are
/// enough, else from the intervals of both.
Estimate ratio_of_energies(const RowFigures& over, const RowFigures& under) {
  const std::vector<double>& top = over.energy.process_joules;
  const std::vector<double>& bottom = under.energy.process_joules;
  if (tell_scatter(top, bottom)) return ratio_of_medians(top, bottom);
  return ratio_of(over.epoch_joules.value(), under.epoch_joules.value());
}

/// The same of the energy-delay products. Without enough processes it is put together from the ratios of
/// energy and time as if these were independent: the one is not known for sampling, the other for scatter.
Estimate ratio_of_products(const RowFigures& over, const RowFigures& under, const Estimate& energy,
                           const Estimate& speed) {
  const std::vector<double>& top = over.energy.process_joule_seconds;
  const std::vector<double>& bottom = under.energy.process_joule_seconds;
  if (tell_scatter(top, bottom)) return ratio_of_medians(top, bottom);
  const Estimate slowness = ratio_of(Estimate{1, Interval{1, 1}}, speed);
  return ratio_of(energy, slowness);
}

/// Of the times of the pairs that have a ratio: their numbers are equal, so that the ratio of sums is that of
/// means. Of all where no subject is named.
double ratio_of_means(const Comparison& comparison, const Duel& duel, const std::string& subject) {
  double base = 0;
  double other = 0;
  for (const Pair& pair : duel.pairs) {
    const bool is_it = subject.empty() || pair.any().identity.subject() == subject;
    if (!is_it || !speed_ratio(comparison, duel, pair).has_value()) continue;
    base += pair.base->seconds.value().value;
    other += pair.other->seconds.value().value;
  }
  return base / other;
}

}  // namespace

Judgement judgement_on(Metric metric, const Comparison& comparison, const Duel& duel, const Pair& pair) {
  const Judgement worst =
      std::max(judgement_on(metric, duel.differences), judgement_on(metric, pair.differences));
  return comparison.is_forced ? std::min(worst, Judgement::kCaveat) : worst;
}

Reading<Estimate> speed_ratio(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  const std::string why = obstacle(Metric::kTime, comparison, duel, pair);
  const auto times = both(why, comparison, duel, pair, &RowFigures::seconds);
  if (!times.has_value()) return absent(times.reason());
  return ratio_of_times(*pair.base, *pair.other);
}

Reading<Estimate> energy_ratio(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  const std::string why = obstacle(Metric::kEnergy, comparison, duel, pair);
  const auto joules = both(why, comparison, duel, pair, &RowFigures::epoch_joules);
  if (!joules.has_value()) return absent(joules.reason());
  if (!(joules.value().first.value > 0) || !(joules.value().second.value > 0)) {
    return absent("no measurable energy");
  }
  return ratio_of_energies(*pair.base, *pair.other);
}

Reading<Estimate> efficiency_ratio(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  const Reading<Estimate> energy = energy_ratio(comparison, duel, pair);
  if (!energy.has_value()) return energy;
  const Reading<Estimate> speed = speed_ratio(comparison, duel, pair);
  if (!speed.has_value()) return absent(speed.reason());
  return ratio_of_products(*pair.base, *pair.other, energy.value(), speed.value());
}

Reading<BreakEven> break_even(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  const auto startups = both(obstacle(Metric::kStartup, comparison, duel, pair), comparison, duel, pair,
                             &RowFigures::startup_seconds);
  if (!startups.has_value()) return absent(startups.reason());
  const auto times =
      both(obstacle(Metric::kTime, comparison, duel, pair), comparison, duel, pair, &RowFigures::seconds);
  if (!times.has_value()) return absent(times.reason());
  const Estimate ratio = ratio_of_times(*pair.base, *pair.other);
  if (ratio.value == 1 || holds(ratio.interval, 1)) return absent("the epochs do not differ measurably");
  return break_even_of(startups.value().first, times.value().first.value, startups.value().second,
                       times.value().second.value);
}

std::vector<SubjectRatios> ratios_by_subject(const Comparison& comparison, const Duel& duel,
                                             PairRatio ratio_of) {
  std::vector<SubjectRatios> models;
  for (const Pair& pair : duel.pairs) {
    const Reading<Estimate> ratio = ratio_of(comparison, duel, pair);
    if (!ratio.has_value()) continue;
    auto found = std::find_if(models.begin(), models.end(), [&](const SubjectRatios& model) {
      return model.subject == pair.any().identity.subject();
    });
    if (found == models.end()) found = models.insert(models.end(), {pair.any().identity.subject(), {}});
    found->ratios.push_back(ratio.value());
  }
  return models;
}

std::vector<Estimate> all_ratios(const Comparison& comparison, const Duel& duel, PairRatio ratio) {
  std::vector<Estimate> all;
  for (const SubjectRatios& model : ratios_by_subject(comparison, duel, ratio)) {
    all.insert(all.end(), model.ratios.begin(), model.ratios.end());
  }
  return all;
}

std::vector<SpeedAverage> averages_of(const Comparison& comparison, const Duel& duel) {
  std::vector<SpeedAverage> averages;
  const auto add = [&](const std::string& subject, const std::vector<Estimate>& ratios) {
    averages.push_back(
        {subject, ratios.size(), geometric_mean_of(ratios), ratio_of_means(comparison, duel, subject)});
  };
  for (const SubjectRatios& one : ratios_by_subject(comparison, duel)) add(one.subject, one.ratios);
  if (averages.size() > 1) add("", all_ratios(comparison, duel));
  return averages;
}

}  // namespace gpubench
