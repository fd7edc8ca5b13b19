// From how many epochs on the side whose epochs are faster is ahead.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "compare/comparison.h"
#include "compare/verdict.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

double squared(double x) { return x * x; }

/// T0 and t of a side, with the squares of what they may be off by, and their covariance in the same scale.
struct Line {
  double start = 0;
  double epoch = 0;
  double start_square = 0;
  double epoch_square = 0;
  double covariance = 0;

  /// Of T(n).
  double square_at(double n) const { return start_square + 2 * n * covariance + n * n * epoch_square; }
};

/// The means over processes, with the variances of these.
Line line_of(const std::vector<double>& starts, const std::vector<double>& epochs) {
  const auto count = static_cast<double>(starts.size());
  Line line{summarize(starts).mean, summarize(epochs).mean};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const double start = starts[i] - line.start;
    const double epoch = epochs[i] - line.epoch;
    line.start_square += start * start / (count - 1) / count;
    line.epoch_square += epoch * epoch / (count - 1) / count;
    line.covariance += start * epoch / (count - 1) / count;
  }
  return line;
}

Absent no_difference() { return absent("the epochs do not differ measurably"); }

/// When `base` and `other` have taken equally long; what they may be off by is to be enlarged by `factor`.
Reading<Estimate> crossing(const Line& base, const Line& other, double factor) {
  const double scale = squared(factor);
  const Reading<Estimate> epochs = fieller_ratio(
      {other.start - base.start, base.epoch - other.epoch, scale * (base.start_square + other.start_square),
       scale * (base.epoch_square + other.epoch_square), -scale * (base.covariance + other.covariance)});
  return epochs.has_value() ? epochs : no_difference();
}

Reading<Estimate> crossing_of_processes(const Pair& pair) {
  const auto line = [](const RowFigures& row) {
    return line_of(row.process_startups.values, row.process_seconds.values);
  };
  const Line base = line(*pair.base);
  const Line other = line(*pair.other);
  const double n = (other.start - base.start) / (base.epoch - other.epoch);
  const double of_base = base.square_at(n);
  const double of_other = other.square_at(n);
  const auto freedom_of = [](const RowFigures& row) {
    return static_cast<double>(row.process_startups.size() - 1);
  };
  const double squares =
      squared(of_base) / freedom_of(*pair.base) + squared(of_other) / freedom_of(*pair.other);
  const double freedom = squares > 0 ? squared(of_base + of_other) / squares : freedom_of(*pair.base);
  return crossing(base, other, kNormalScore * student_factor(freedom));
}

bool tells_each(const RowFigures& row) { return row.process_startups.rounds == row.process_seconds.rounds; }

BreakEven who_is_ahead(const Estimate& crossing, Outcome epochs) {
  using Kind = BreakEven::Kind;
  const bool is_base = epochs == Outcome::kWorse;
  if (crossing.interval.value().high <= 0)
    return {is_base ? Kind::kBaseAlways : Kind::kOtherAlways, crossing};
  return {is_base ? Kind::kBaseOvertakes : Kind::kOtherOvertakes, crossing};
}

}  // namespace

Reading<BreakEven> break_even(const Pair& pair) {
  const auto startups = startups_of(pair);
  if (!startups.has_value()) return absent(startups.reason());
  const Reading<Estimate> ratio = speed_ratio(pair);
  if (!ratio.has_value()) return absent(ratio.reason());
  const Outcome outcome = outcome_of(ratio.value());
  if (outcome == Outcome::kUnknown) return absent(ratio.value().interval.reason());
  if (outcome != Outcome::kBetter && outcome != Outcome::kWorse) return no_difference();
  if (!tells_each(*pair.base) || !tells_each(*pair.other))
    return absent("not every process tells its start-up");
  return crossing_of_processes(pair).then(
      [&](const Estimate& epochs) { return who_is_ahead(epochs, outcome); });
}

}  // namespace gpubench
