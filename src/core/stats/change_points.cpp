#include "gpubench/core/stats/change_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

constexpr double kClip = 3;  // Largest distance from the median, in scaled MADs.
constexpr std::size_t kSurrogates = 1000;
constexpr double kShareOfStep = 0.75;  // Share of the significance level for steps; splits get the rest.
constexpr double kLeastPValue = 1e-6;

double square(double value) { return value * value; }

// Fits of a step.

/// Generalised least squares fit of a step to values with AR(1) noise. Whitening, z[i] - a z[i - 1], makes
/// the noise independent and turns a step at t into 1 at t and 1 - a after it.
class StepFit {
 public:
  StepFit(std::span<const double> values, double autocorrelation)
      : count_(values.size()), slope_(1 - autocorrelation), tails_(values.size()) {
    const double first = std::sqrt(1 - square(autocorrelation));
    level_weight_ = square(first) + static_cast<double>(count_ - 1) * square(slope_);
    double squares = square(first * values[0]);
    double tail = 0;
    for (std::size_t t = count_ - 1; t >= 1; --t) {
      const double white = values[t] - autocorrelation * values[t - 1];
      tails_[t] = white + slope_ * tail;
      tail += white;
      squares += square(white);
    }
    level_ = (square(first) * values[0] + slope_ * tail) / level_weight_;
    rest_ = squares - square(level_) * level_weight_;
    if (rest_ <= 1e-12 * squares) rest_ = 0;
  }

  /// Returns the weight of the level: the number of values, scaled by the whitening.
  double level_weight() const { return level_weight_; }

  /// Returns the sum of squares around the level; 0 for equal values.
  double rest() const { return rest_; }

  /// Returns the part of rest() that a step at `position` explains; rest() is not 0.
  double explained(std::size_t position) const {
    const auto later = static_cast<double>(count_ - 1 - position);
    const double with_level = slope_ + later * square(slope_);
    const double weight = 1 + later * square(slope_) - square(with_level) / level_weight_;
    return std::min(square(tails_[position] - with_level * level_) / (weight * rest_), 1 - 1e-12);
  }

 private:
  std::size_t count_;
  double slope_;
  std::vector<double> tails_;  ///< Products of the whitened values and a step at each position.
  double level_weight_ = 0;
  double level_ = 0;
  double rest_ = 0;
};

/// Returns the step with the largest likelihood ratio. Its statistic is twice the logarithm, per value.
SeriesSplit best_step(std::span<const double> values, double autocorrelation) {
  const StepFit fit(values, autocorrelation);
  SeriesSplit best{kFewestBesideChange, values.size(), 0};
  if (fit.rest() == 0) return best;
  for (std::size_t t = kFewestBesideChange; t + kFewestBesideChange <= values.size(); ++t) {
    const double ratio = -std::log1p(-fit.explained(t));
    if (ratio > best.statistic) best = {t, values.size(), ratio};
  }
  return best;
}

// Autocorrelation.

constexpr std::size_t kCandidates = 19;
constexpr double kStride = 0.05;        // Distance between candidates.
constexpr std::size_t kBlock = 40;      // Largest block; each has one step.
constexpr std::size_t kLeastBlock = 5;  // Smallest block that allows a fit of level and step.
constexpr double kStepVariance = 1000;  // Prior variance of a step over that of its estimate (Zellner's g).
constexpr double kQuantile = 0.85;
constexpr double kBiasFactor = 1.09;
constexpr double kMostAutocorrelation = 0.9;

/// Returns the logarithm of the likelihood, up to a constant, with level, step and scale integrated out.
double log_likelihood(std::span<const double> values, double autocorrelation) {
  const StepFit fit(values, autocorrelation);
  const double freedom = static_cast<double>(values.size()) - 1;
  if (fit.rest() == 0) return 0;
  double steps = 0;
  for (std::size_t t = 1; t < values.size(); ++t)
    steps += std::pow(1 + kStepVariance * (1 - fit.explained(t)), -freedom / 2);
  return (std::log1p(-square(autocorrelation)) - std::log(fit.level_weight()) -
          freedom * std::log(fit.rest())) /
             2 +
         std::log(steps);
}

/// Returns the values without spikes, as logarithms if all are above 0.
std::vector<double> clipped(std::span<const double> values) {
  std::vector<double> made(values.begin(), values.end());
  if (!made.empty() && std::ranges::min(made) > 0)
    for (double& value : made) value = std::log(value);
  clip_spikes(made, kClip);
  return made;
}

void add_series(std::vector<double>& posterior, std::span<const double> values, double weight) {
  const std::size_t blocks = (values.size() + kBlock - 1) / kBlock;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * values.size() / blocks;
    const std::size_t end = (block + 1) * values.size() / blocks;
    if (end - first < kLeastBlock) continue;
    const auto stretch = values.subspan(first, end - first);
    for (std::size_t i = 0; i < kCandidates; ++i)
      posterior[i] += weight * log_likelihood(stretch, kStride * static_cast<double>(i));
  }
}

/// Returns the mean correlation of the noise over all pairs of series, at least 0. Derived from how often two
/// series move in the same direction, so a change of all series counts as a single run.
double mean_correlation(std::span<const std::vector<double>> series) {
  // Directions of a series, 1 up and -1 down, from the last to the first.
  const auto all = mapped(series, [](std::span<const double> values) {
    std::vector<int> signs;
    for (std::size_t i = values.size(); i-- > 1;)
      signs.push_back((values[i] > values[i - 1]) - (values[i] < values[i - 1]));
    return signs;
  });
  double products = 0;
  double count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t shared = std::min(all[i].size(), all[j].size());
      for (std::size_t k = 0; k < shared; ++k) products += all[i][k] * all[j][k];
      count += static_cast<double>(shared);
    }
  }
  return count > 0 ? std::sin(std::numbers::pi / 2 * std::max(0.0, products / count)) : 0;
}

// Reference distributions.

/// Standard normal numbers. Not std::normal_distribution, whose results depend on the library.
class NormalDraws {
 public:
  explicit NormalDraws(std::uint64_t seed) : random_(seed) {}

  double operator()() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

  std::mt19937_64 random_;
};

std::vector<double> make_surrogate(NormalDraws& draw, std::size_t length, double autocorrelation) {
  std::vector<double> values(length);
  values[0] = draw();
  const double scale = std::sqrt(1 - square(autocorrelation));
  for (std::size_t i = 1; i < length; ++i) values[i] = autocorrelation * values[i - 1] + scale * draw();
  return values;
}

/// Returns the ranks of `values`; equal values have their mean rank.
std::vector<double> compute_ranks(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return mapped(values, [&](double value) {
    const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), value);
    return static_cast<double>((first - sorted.begin()) + (end - sorted.begin())) / 2;
  });
}

/// Returns the probability of a statistic of at least `value`. If fewer than 20 in `sorted` are, an
/// exponential tail fitted to the largest tenth replaces their number.
double compute_p_value(const std::vector<double>& sorted, double value) {
  const double rounding = 1e-9 * std::abs(value);
  const auto beyond = sorted.end() - std::ranges::lower_bound(sorted, value - rounding);
  if (beyond >= 20) return static_cast<double>(beyond + 1) / static_cast<double>(sorted.size() + 1);
  const auto tail = sorted.end() - static_cast<std::ptrdiff_t>(sorted.size() / 10);
  const double start = *(tail - 1);
  const double mean = std::accumulate(tail, sorted.end(), 0.0) / static_cast<double>(sorted.end() - tail);
  return mean > start ? 0.1 * std::exp(-(value - start) / (mean - start)) : 0.1;
}

}  // namespace

SeriesSplit best_split(std::span<const double> values, std::size_t fewest) {
  if (fewest == 0 || values.size() < 2 * fewest) throw std::invalid_argument("best_split: too few values");
  const std::size_t count = values.size();
  std::vector<double> shares(count + 1);  // 1 / n, since divisions would take most of the time.
  for (std::size_t n = 1; n <= count; ++n) shares[n] = 1 / static_cast<double>(n);
  // Sums of distances: from the last value to those before t; within [0, t); within [t, k).
  std::vector<double> sums(count + 1);
  std::vector<double> before(count + 1);
  std::vector<double> after(count + 1);
  SeriesSplit best;
  for (std::size_t k = 1; k <= count; ++k) {
    double sum = 0;
    for (std::size_t t = 1; t < k; ++t) sums[t] = sum += std::abs(values[t - 1] - values[k - 1]);
    before[k] = before[k - 1] + sum;
    for (std::size_t t = 1; t < k; ++t) after[t] += sum - sums[t];
    for (std::size_t t = fewest; t + fewest <= k; ++t) {
      const auto n = static_cast<double>(t);
      const auto m = static_cast<double>(k - t);
      const double across = before[k] - before[t] - after[t];
      const double statistic =
          2 * shares[k] * (across - m * shares[t - 1] * before[t] - n * shares[k - t - 1] * after[t]);
      if (best.end == 0 || statistic > best.statistic + 1e-12 * std::abs(best.statistic))
        best = {t, k, statistic};
    }
  }
  return best;
}

double pooled_autocorrelation(std::span<const std::vector<double>> series) {
  const auto all = mapped(series, clipped);
  // The correlation of two lag-1 autocorrelations is the square of the correlation of the series.
  const double share = 1 / (1 + (static_cast<double>(all.size()) - 1) * square(mean_correlation(all)));
  std::vector<double>
      posterior;  // Logarithms at first, those of the prior x^2 (1 - x), which favours high values.
  for (std::size_t i = 0; i < kCandidates; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / kCandidates;
    posterior.push_back(2 * std::log(part) + std::log1p(-part));
  }
  for (const std::vector<double>& values : all) add_series(posterior, values, share);
  const double most = std::ranges::max(posterior);
  for (double& weight : posterior) weight = std::exp(weight - most);
  double left = kQuantile * std::accumulate(posterior.begin(), posterior.end(), 0.0);
  std::size_t i = 0;
  while (i + 1 < kCandidates && posterior[i] < left) left -= posterior[i++];
  return std::min(kMostAutocorrelation, kBiasFactor * kStride * static_cast<double>(i));
}

ChangeDetector::ChangeDetector(double autocorrelation, std::uint64_t seed)
    : autocorrelation_(autocorrelation), seed_(seed) {
  if (!(autocorrelation >= 0 && autocorrelation <= kMostAutocorrelation))
    throw std::invalid_argument("ChangeDetector: the autocorrelation is not between 0 and 0.9");
}

ChangePoint ChangeDetector::clearest(std::span<const double> values) {
  if (values.size() < kFewestForChange) return {};
  const auto [least, most] = std::ranges::minmax(values);
  if (least == most) return {};
  const Reference& without_change = reference(values.size());
  const SeriesSplit split = best_split(compute_ranks(values), kFewestBesideChange);
  const SeriesSplit step = best_step(clipped(values), autocorrelation_);
  const double split_p_value =
      compute_p_value(without_change.split_statistics, split.statistic) / (1 - kShareOfStep);
  const double step_p_value = compute_p_value(without_change.step_statistics, step.statistic) / kShareOfStep;
  return {step_p_value <= split_p_value ? step.position : split.position,
          std::clamp(std::min(step_p_value, split_p_value), kLeastPValue, 1.0)};
}

std::vector<ChangePoint> ChangeDetector::find(std::span<const double> values, double level) {
  struct Part {
    std::size_t first;
    std::size_t end;
    ChangePoint change;
  };
  std::vector<Part> parts;
  const auto add_part = [&](std::size_t first, std::size_t end) {
    if (end - first < kFewestForChange) return;
    ChangePoint change = clearest(values.subspan(first, end - first));
    change.position += first;
    parts.push_back({first, end, change});
  };
  std::vector<ChangePoint> changes;
  add_part(0, values.size());
  while (!parts.empty()) {
    const auto clearest_part =
        std::ranges::min_element(parts, {}, [](const Part& part) { return part.change.p_value; });
    const Part part = *clearest_part;
    const double p_value = std::min(1.0, part.change.p_value * static_cast<double>(parts.size()));
    if (p_value > level) break;
    changes.push_back({part.change.position, p_value});
    parts.erase(clearest_part);
    add_part(part.first, part.change.position);
    add_part(part.change.position, part.end);
  }
  return changes;
}

const ChangeDetector::Reference& ChangeDetector::reference(std::size_t length) {
  // Shares distributions with series up to a fifth longer, since limits rise with the length.
  const std::size_t step = length <= 16 ? 1 : std::bit_floor(length - 1) / 4;
  length = (length + step - 1) / step * step;
  const auto [place, is_new] = references_.try_emplace(length);
  if (!is_new) return place->second;
  // A multiple of the golden ratio keeps lengths and seeds apart.
  NormalDraws draw(seed_ + length * 0x9e3779b97f4a7c15);
  for (std::size_t i = 0; i < kSurrogates; ++i) {
    std::vector<double> values = make_surrogate(draw, length, autocorrelation_);
    place->second.split_statistics.push_back(
        best_split(compute_ranks(values), kFewestBesideChange).statistic);
    clip_spikes(values, kClip);
    place->second.step_statistics.push_back(best_step(values, autocorrelation_).statistic);
  }
  std::ranges::sort(place->second.split_statistics);
  std::ranges::sort(place->second.step_statistics);
  return place->second;
}

std::vector<double> adjust_by_holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, static_cast<double>(order.size() - i) * p_values[order[i]]);
    adjusted[order[i]] = std::min(1.0, largest);
  }
  return adjusted;
}

Estimate ratio_across_change(std::span<const double> before, std::span<const double> after,
                             double autocorrelation) {
  Estimate ratio = ratio_of_medians(after, before);
  const double factor = std::sqrt((1 + autocorrelation) / (1 - autocorrelation));
  ratio.interval = ratio.interval.then([&](const Interval& arms) {
    return Interval{ratio.value * std::pow(arms.low / ratio.value, factor),
                    ratio.value * std::pow(arms.high / ratio.value, factor)};
  });
  return ratio;
}

}  // namespace gpubench
