#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

Missing unknown_between_runs(const RowRatio& sides) {
  for (const auto& [candidate, figures] :
       {std::pair{sides.base.candidate, sides.over}, {sides.other.candidate, sides.under}}) {
    if (candidate->is_of_history)
      return missing("the history has only {} of the needed {} runs", figures->size(), kFewestRuns);
  }
  if (sides.base.candidate->published || sides.other.candidate->published)
    return missing("published figures have no interval");
  const std::size_t fewer = std::min(sides.over->size(), sides.under->size());
  return missing("{} {}, may be chance", fewer < 2 ? "one run" : "two runs",
                 sides.over->size() == sides.under->size() ? "each" : "on a side");
}

using Sides = std::vector<const RoundFigures*>;

std::vector<std::int64_t> shared_rounds(const Sides& rows) {
  std::vector<std::int64_t> rounds = rows.front()->rounds;
  for (const RoundFigures* row : rows) {
    std::erase_if(rounds, [&](std::int64_t round) {
      return std::ranges::find(row->rounds, round) == row->rounds.end();
    });
  }
  return rounds;
}

/// Returns the geometric mean over the rows for each round; 0 if a figure is not above 0.
std::vector<double> means_in(const std::vector<std::int64_t>& rounds, const Sides& rows) {
  return mapped(rounds, [&](std::int64_t round) {
    double logarithms = 0;
    for (const RoundFigures* row : rows) {
      const auto place = std::ranges::find(row->rounds, round) - row->rounds.begin();
      const double value = row->values[static_cast<std::size_t>(place)];
      if (!(value > 0)) return 0.0;
      logarithms += std::log(value);
    }
    return std::exp(logarithms / static_cast<double>(rows.size()));
  });
}

/// Returns the ratio of medians. Needs three processes per side.
Estimate ratio_of_processes(const std::vector<double>& over, const std::vector<double>& under,
                            Measuring measuring) {
  return measuring == Measuring::kApart ? ratio_of_stretches(over, under) : ratio_of_medians(over, under);
}

/// Returns the 95 % half-width of the logarithm of the ratio of two equal runs, if known.
std::optional<double> compute_noise_arm(const RowRatio& row) {
  const std::optional<SessionNoise>& over = row.over->noise;
  const std::optional<SessionNoise>& under = row.under->noise;
  const auto make_arm = [](std::int64_t runs, double deviation) {
    return kNormalScore * student_factor(static_cast<double>(runs - 1)) * deviation;
  };
  if (row.measuring == Measuring::kHistory) {
    // Noise of one new run around the level of the earlier runs.
    const std::optional<SessionNoise>& known = row.base.candidate->is_of_history ? over : under;
    if (!known) return std::nullopt;
    return make_arm(known->runs, known->deviation * std::sqrt(1 + 1.0 / static_cast<double>(known->runs)));
  }
  if (!over || !under || find_measuring(*row.base.candidate, *row.other.candidate) != Measuring::kApart)
    return std::nullopt;
  return make_arm(std::min(over->runs, under->runs), std::hypot(over->deviation, under->deviation));
}

/// Adds the half-width `arm`, in logarithms, to the interval. Independent deviations add as squares.
Estimate widened(const Estimate& estimate, double arm) {
  if (!(estimate.value > 0)) return estimate;
  const Interval known = estimate.interval.value_or({estimate.value, estimate.value});
  const auto widen = [&](double ratio) { return std::exp(std::hypot(std::max(0.0, std::log(ratio)), arm)); };
  return {estimate.value, Interval{estimate.value / widen(estimate.value / known.low),
                                   estimate.value * widen(known.high / estimate.value)}};
}

Estimate interleaved_ratio(const Sides& over, const Sides& under, double measured) {
  Sides all = over;
  append(all, under);
  const std::vector<std::int64_t> rounds = shared_rounds(all);
  if (rounds.empty()) return {measured, missing("the sides have no round in common")};
  return ratio_of_rounds(means_in(rounds, over), means_in(rounds, under));
}

/// Returns `value` with an interval that includes the interval of `estimate`, also if moved to `value`: a
/// mean over rounds may lie outside the ratios of all rows.
Estimate moved_to(double value, const Estimate& estimate) {
  const double factor = value / estimate.value;
  return {value, estimate.interval.then([&](const Interval& interval) {
            return Interval{std::min(1.0, factor) * interval.low, std::max(1.0, factor) * interval.high};
          })};
}

/// Returns "A" to "Z", then "A2" to "Z2" and so on.
std::string format_label(std::size_t position) {
  constexpr std::size_t kLetters = 26;
  const std::string letter(1, static_cast<char>('A' + position % kLetters));
  return position < kLetters ? letter : letter + std::to_string(position / kLetters + 1);
}

/// Returns the counterpart of `candidate` among the first `count` candidates.
const Candidate& base_for(const Candidate& candidate, const std::vector<Candidate>& all, std::size_t count) {
  const std::span first(all.data(), count);
  const auto same = std::ranges::find_if(
      first, [&](const Candidate& one) { return one.device.name == candidate.device.name; });
  if (same != first.end()) return *same;
  const auto alike =
      std::ranges::find_if(first, [&](const Candidate& one) { return is_cpu(one) == is_cpu(candidate); });
  return alike != first.end() ? *alike : all.front();
}

using Rows = std::vector<const RowFigures*>;

/// Returns the distance between the modes of two rows of the same work; 0 for equal modes.
int distance(const RowIdentity& left, const RowIdentity& right) {
  int sum = 0;
  for (const RowIdentity::Part& part : left.parts())
    sum += part.value != right.at(part.key->key) ? part.key->mode_distance : 0;
  return sum;
}

/// Returns the candidate nearest to `identity`; null without candidates.
const RowFigures* find_nearest_row(const RowIdentity& identity, const Rows& candidates) {
  const auto nearest = std::ranges::min_element(
      candidates, {}, [&](const RowFigures* other) { return distance(identity, other->identity); });
  return nearest == candidates.end() ? nullptr : *nearest;
}

/// Pairs each row with the most similar row of the same work. Every row is used once.
std::vector<Pair> match_rows(const Candidate& base, const Candidate& other) {
  std::vector<Pair> pairs = mapped(base.rows, [](const RowFigures& row) { return Pair{&row}; });
  std::map<RowIdentity, Rows> left;
  for (const RowFigures& row : other.rows) left[to_work(row.identity)].push_back(&row);
  // Pairs equal rows before similar ones.
  for (const int most_distance : {0, std::numeric_limits<int>::max()}) {
    for (Pair& pair : pairs) {
      Rows& rows = left[to_work(pair.base->identity)];
      const RowFigures* const nearest = find_nearest_row(pair.base->identity, rows);
      if (pair.other != nullptr || nearest == nullptr) continue;
      if (distance(pair.base->identity, nearest->identity) > most_distance) continue;
      pair.other = nearest;
      std::erase(rows, nearest);
    }
  }
  for (const RowFigures& row : other.rows) {
    const Rows& rows = left[to_work(row.identity)];
    if (std::ranges::find(rows, &row) != rows.end()) pairs.push_back({nullptr, &row});
  }
  return pairs;
}

std::vector<Pair> make_pairs(const Candidate& base, const Candidate& other) {
  std::vector<Pair> pairs;
  const bool is_interleaved = are_interleaved(base, other);
  if (is_interleaved && base.rows.size() == other.rows.size()) {
    // Pairs by position, since sides in interleaved runs may differ in anything.
    for (std::size_t i = 0; i < base.rows.size(); ++i) pairs.push_back({&base.rows[i], &other.rows[i]});
  } else {
    pairs = match_rows(base, other);
  }
  for (Pair& pair : pairs) {
    if (pair.is_common()) pair.differences = differences(*pair.base, *pair.other, is_interleaved);
  }
  return pairs;
}

/// Returns the reason if the metric cannot be compared, else an empty text.
std::string find_obstacle(Metric metric, const Pair& pair) {
  if (pair.base == nullptr) return fmt::format("{} has no such case", pair.versus->base->label);
  if (pair.other == nullptr) return fmt::format("{} has no such case", pair.versus->other->label);
  if (pair.versus->is_forced) return "";
  for (const auto* differences : {&pair.differences, &pair.versus->differences}) {
    for (const Difference& difference : *differences) {
      if (difference.on(metric) == Comparability::kRefused)
        return "refused: " + format_sentence(difference, *pair.versus);
    }
  }
  return "";
}

bool have_one_sensor(const CandidateRow& left, const CandidateRow& right) {
  return left.candidate->device.model == right.candidate->device.model &&
         left.figures->energy.meter == right.figures->energy.meter;
}

Measured<RowRatio> find_ratio(const ComparedMetric& metric, const Pair& pair) {
  if (const std::string why = find_obstacle(metric.metric, pair); !why.empty()) return missing(why);
  const CandidateRow base{pair.versus->base, pair.base};
  const CandidateRow other{pair.versus->other, pair.other};
  for (const auto& [candidate, row] : {base, other}) {
    const Measured<Estimate>& figure = row->*metric.figure;
    if (!figure.has_value()) return missing(candidate->label + ": " + figure.reason());
    if (!(figure.value().value > 0)) return missing("no measurable energy");
    if ((row->*metric.processes).size() == 0) return missing("{}: no {}", candidate->label, metric.label);
  }
  if (&metric == &kEnergyDelay) {
    if (const auto speed = speed_ratio(pair); !speed.has_value()) return missing(speed.reason());
  }
  RowRatio ratio = make_ratio(base, other, metric.processes);
  if (metric.metric == Metric::kEnergy && !have_one_sensor(base, other))
    ratio.ratio.interval = missing("different power sensors");
  return ratio;
}

/// Adds the ratio of `fast` to the most similar row of `base`: same work, in `precision`.
void add_gain(std::vector<RowRatio>& gains, const Candidate& base, const CandidateRow& fast,
              const std::string& precision) {
  if (!fast.figures->seconds.has_value()) return;
  const auto without_modes = [](const RowIdentity& identity) {
    return identity.without({"device", "execution", "layout"});
  };
  const RowIdentity& identity = fast.figures->identity;
  const RowIdentity wanted = without_modes(identity.with("precision", precision));
  Rows alike;
  for (const RowFigures& slow : base.rows) {
    if (slow.seconds.has_value() && without_modes(slow.identity) == wanted) alike.push_back(&slow);
  }
  const RowFigures* slow = find_nearest_row(identity, alike);
  if (slow == nullptr) return;
  gains.push_back(make_ratio({&base, slow}, fast));
}

}  // namespace

Outcome decide_outcome(const Estimate& ratio, double margin) {
  if (!ratio.interval.has_value()) return Outcome::kUnknown;
  const auto [low, high] = ratio.interval.value();
  if (low > 1) return Outcome::kBetter;
  if (high < 1) return Outcome::kWorse;
  return low >= 1 / (1 + margin) && high <= 1 + margin ? Outcome::kEqual : Outcome::kUndecided;
}

double compute_margin(const Candidate& one, const Candidate& other) {
  if (one.equality_margin) return *one.equality_margin;
  return are_interleaved(one, other) ? kInterleavedMargin : kLeastMargin;
}

RowRatio make_ratio(const CandidateRow& base, const CandidateRow& other, RoundFigures RowFigures::*processes,
                    std::optional<Measuring> measuring) {
  RowRatio row{{}, &(base.figures->*processes), &(other.figures->*processes), {}, base, other};
  row.measuring = measuring.value_or(find_measuring(*base.candidate, *other.candidate));
  const std::vector<double>& over = row.over->values;
  const std::vector<double>& under = row.under->values;
  const double measured = compute_median(over) / compute_median(under);
  const bool is_of_history = row.measuring == Measuring::kHistory;
  if (row.measuring == Measuring::kInterleaved)
    row.ratio = interleaved_ratio({row.over}, {row.under}, measured);
  else if (!is_of_history && std::min(over.size(), under.size()) >= kFewestForInterval)
    row.ratio = ratio_of_processes(over, under, row.measuring);
  else
    row.ratio = {measured, unknown_between_runs(row)};
  if (const std::optional<double> arm = compute_noise_arm(row)) {
    row.noise_arm = *arm;
    row.ratio = widened(row.ratio, *arm);
  }
  return row;
}

Estimate compute_mean(std::span<const RowRatio> rows) {
  if (rows.size() == 1) return rows.front().ratio;
  const Sides over = mapped(rows, &RowRatio::over);
  const Sides under = mapped(rows, &RowRatio::under);
  const Estimate of_rows = compute_geometric_mean(mapped(rows, &RowRatio::ratio));
  const auto is_of_history = [](const RowRatio& row) { return row.measuring == Measuring::kHistory; };
  if (!of_rows.interval.has_value() || std::ranges::any_of(rows, is_of_history)) return of_rows;
  const auto is_of_all = [&](Measuring how) {
    return std::ranges::all_of(rows, [how](const RowRatio& row) { return row.measuring == how; });
  };
  if (is_of_all(Measuring::kInterleaved))
    return moved_to(of_rows.value, interleaved_ratio(over, under, of_rows.value));
  const std::vector<double> above = means_in(shared_rounds(over), over);
  const std::vector<double> below = means_in(shared_rounds(under), under);
  if (std::min(above.size(), below.size()) < kFewestForInterval) return of_rows;
  const Measuring measuring = is_of_all(Measuring::kMixed) ? Measuring::kMixed : Measuring::kApart;
  Estimate of_rounds = ratio_of_processes(above, below, measuring);
  // Assumes the worst case: a machine slows all rows of a run equally.
  const double arm = summarize(mapped(rows, &RowRatio::noise_arm)).mean;
  if (arm > 0) of_rounds = widened(of_rounds, arm);
  return moved_to(of_rows.value, of_rounds);
}

std::vector<double> ratio_values(std::span<const RowRatio> rows) {
  return mapped(rows, [](const RowRatio& row) { return row.ratio.value; });
}

Comparison compare(std::vector<Candidate> candidates, bool is_forced, std::optional<double> equality_margin) {
  Comparison comparison;
  comparison.is_forced = is_forced;
  comparison.candidates = std::move(candidates);
  std::vector<Candidate>& all = comparison.candidates;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].label = format_label(i);
  name_candidates(all);
  for (Candidate& candidate : all) candidate.equality_margin = equality_margin;
  if (all.empty()) return comparison;
  const auto second_file = std::ranges::find_if_not(
      all, [&](const Candidate& candidate) { return is_same_file(candidate, all.front()); });
  const auto first_file = static_cast<std::size_t>(second_file - all.begin());
  const bool is_one_file = second_file == all.end();
  for (std::size_t i = is_one_file ? 1 : first_file; i < all.size(); ++i) {
    const Candidate& base = is_one_file ? all.front() : base_for(all[i], all, first_file);
    comparison.versus_baseline.push_back(
        {&base, &all[i], is_forced, differences(base, all[i]), make_pairs(base, all[i])});
  }
  for (BaselineComparison& versus : comparison.versus_baseline) {
    for (Pair& pair : versus.pairs) pair.versus = &versus;
  }
  return comparison;
}

std::vector<DifferenceCount> difference_counts(const BaselineComparison& versus) {
  std::vector<DifferenceCount> counts;
  for (const Difference& difference : versus.differences) counts.push_back({difference, 0});
  for (const Pair& pair : versus.pairs) {
    for (const Difference& difference : pair.differences) {
      auto found = std::ranges::find(counts, difference, &DifferenceCount::difference);
      if (found == counts.end()) found = counts.insert(counts.end(), {difference, 0});
      ++found->rows;
    }
  }
  return counts;
}

std::string format_sentence(const Difference& difference, const BaselineComparison& versus) {
  const auto& [what, left, right, effect, is_choice] = difference;
  if (left == right) return fmt::format("{}{} on both sides", what, left == "yes" ? "" : ": " + left);
  return fmt::format("{}: {} {}, {} {}", what, versus.base->label, left, versus.other->label, right);
}

std::string pair_name(const BaselineComparison& versus) {
  return versus.other->label + " vs " + versus.base->label;
}

Comparability comparability_on(Metric metric, const Pair& pair) {
  const Comparability worst = std::max(comparability_on(metric, pair.versus->differences),
                                       comparability_on(metric, pair.differences));
  return pair.versus->is_forced ? std::min(worst, Comparability::kCaveat) : worst;
}

Measured<Estimate> compute_ratio(const ComparedMetric& metric, const Pair& pair) {
  return find_ratio(metric, pair).then(&RowRatio::ratio);
}

double compute_margin(const Pair& pair) { return compute_margin(*pair.versus->base, *pair.versus->other); }

std::vector<RowRatio> row_ratios(const BaselineComparison& versus, const ComparedMetric& metric,
                                 const std::string& subject) {
  std::vector<RowRatio> ratios;
  for (const Pair& pair : versus.pairs) {
    if (!subject.empty() && pair.any().identity.subject() != subject) continue;
    if (Measured<RowRatio> ratio = find_ratio(metric, pair); ratio.has_value())
      ratios.push_back(std::move(ratio.value()));
  }
  return ratios;
}

std::vector<std::string> list_subjects(const BaselineComparison& versus) {
  std::vector<std::string> subjects;
  for (const Pair& pair : versus.pairs) {
    if (speed_ratio(pair).has_value()) add_once(subjects, pair.any().identity.subject());
  }
  if (subjects.size() > 1) subjects.emplace_back();
  return subjects;
}

std::vector<RowRatio> gpu_benefits(const Comparison& comparison) {
  std::vector<RowRatio> gains;
  for (const Candidate& cpu : comparison.candidates) {
    for (const CandidateRow& row : make_rows(comparison.candidates)) {
      if (is_cpu(cpu) && !is_cpu(*row.candidate) && is_same_file(cpu, *row.candidate))
        add_gain(gains, cpu, row, row.figures->identity.at("precision"));
    }
  }
  return gains;
}

std::vector<RowRatio> precision_gains(const Comparison& comparison) {
  const std::string plain = to_string(Precision::kFp32);
  std::vector<RowRatio> gains;
  for (const CandidateRow& row : make_rows(comparison.candidates)) {
    const std::string& precision = row.figures->identity.at("precision");
    if (!precision.empty() && precision != plain) add_gain(gains, *row.candidate, row, plain);
  }
  return gains;
}

}  // namespace gpubench
