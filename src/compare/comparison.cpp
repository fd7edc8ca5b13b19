#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

Missing unknown_between_runs(const RowRatio& row) {
  if (row.measuring == Measuring::kHistory) return row.noise().why();
  if (row.base.candidate->published || row.other.candidate->published)
    return missing("published values have no interval");
  const std::size_t fewer = std::min(row.over->size(), row.under->size());
  return missing("{} {}, may be chance", fewer < 2 ? "one run" : "two runs",
                 row.over->size() == row.under->size() ? "each" : "on one machine");
}

using Samples = std::vector<const MetricSamples*>;

std::vector<std::int64_t> shared_rounds(const Samples& rows) {
  std::vector<std::int64_t> rounds = rows.front()->rounds;
  for (const MetricSamples* row : rows) {
    std::erase_if(rounds, [&](std::int64_t round) {
      return std::ranges::find(row->rounds, round) == row->rounds.end();
    });
  }
  return rounds;
}

/// Returns the geometric mean over the rows for each round; 0 if a cost is not above 0.
std::vector<double> means_in(const std::vector<std::int64_t>& rounds, const Samples& rows) {
  return mapped(rounds, [&](std::int64_t round) {
    double logarithms = 0;
    for (const MetricSamples* row : rows) {
      const auto place = std::ranges::find(row->rounds, round) - row->rounds.begin();
      const double value = row->costs[static_cast<std::size_t>(place)];
      if (!(value > 0)) return 0.0;
      logarithms += std::log(value);
    }
    return std::exp(logarithms / static_cast<double>(rows.size()));
  });
}

/// Returns the ratio of medians. Needs three processes per side.
Estimate ratio_of_processes(const std::vector<double>& over, const std::vector<double>& under,
                            bool is_apart) {
  return is_apart ? ratio_of_stretches(over, under) : ratio_of_medians(over, under);
}

Estimate interleaved_ratio(const Samples& over, const Samples& under, double measured) {
  Samples all = over;
  append(all, under);
  const std::vector<std::int64_t> rounds = shared_rounds(all);
  if (rounds.empty()) return {measured, missing("the variants have no round in common")};
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

/// Returns the counterpart of `candidate` among the first `count` candidates.
const Candidate& base_for(const Candidate& candidate, const std::vector<Candidate>& all, std::size_t count) {
  const auto unlikeness = [&](const Candidate& one) {
    return one.device.name == candidate.device.name ? 0 : is_cpu(one) == is_cpu(candidate) ? 1 : 2;
  };
  return *std::ranges::min_element(std::span(all).first(count), {}, unlikeness);
}

using Rows = std::vector<const ComparedRow*>;

Rows pointers_to(const std::vector<ComparedRow>& rows) {
  return mapped(rows, [](const ComparedRow& row) { return &row; });
}

/// Returns the distance between the modes of two rows of the same work; 0 for equal modes.
int distance(const RowIdentity& left, const RowIdentity& right) {
  int sum = 0;
  for (const RowIdentity::Part& part : left.parts())
    sum += part.value != right.at(part.key->key) ? part.key->mode_distance : 0;
  // The dataset of a publication may differ; the row with the same one is the nearest.
  constexpr int kOtherData = 64;
  return left.at("dataset") == right.at("dataset") ? sum : sum + kOtherData;
}

/// Returns the candidate nearest to `identity`; null without candidates.
const ComparedRow* find_nearest_row(const RowIdentity& identity, const Rows& candidates) {
  const auto nearest = std::ranges::min_element(
      candidates, {}, [&](const ComparedRow* other) { return distance(identity, other->identity); });
  return nearest == candidates.end() ? nullptr : *nearest;
}

/// Returns true if the rows state different datasets or numbers of samples per epoch.
bool have_unlike_epochs(const Pair& pair) {
  if (pair.base->identity.at("dataset") != pair.other->identity.at("dataset")) return true;
  const std::int64_t base = pair.base->identity.number("train_samples");
  const std::int64_t other = pair.other->identity.number("train_samples");
  return base > 0 && other > 0 && base != other;
}

/// Returns the reason if the metric cannot be compared, else an empty text.
std::string find_obstacle(const Metric& metric, const Pair& pair) {
  const CandidateRow sides[] = {{pair.owner->base, pair.base}, {pair.owner->other, pair.other}};
  for (const auto& [candidate, row] : sides) {
    if (row == nullptr) return candidate->name + " has no such case";
  }
  for (const auto* differences : {&pair.differences, &pair.owner->differences}) {
    for (const Difference& difference : *differences) {
      if (!pair.owner->is_forced && difference.on(metric.use->metric_class) == Comparability::kRefused)
        return "refused: " + format_sentence(difference, *pair.owner);
    }
  }
  // Even a forced comparison must not compare the epochs of unequal work.
  if (metric.use->is_per_epoch && have_unlike_epochs(pair)) return "different data or samples per epoch";
  for (const auto& [candidate, row] : sides) {
    const Measured<Estimate> estimate = row->estimate(metric);
    if (!estimate.has_value()) return candidate->name + ": " + estimate.reason();
  }
  return "";
}

Measured<RowRatio> find_main_ratio(const Pair& pair) {
  Measured<RowRatio> ratio = missing("no such case");
  for (const Metric* metric : main_metrics()) {
    // The last main metric, the time, is the one that each kind of row has.
    const bool is_of_kind = pair.any().find(*metric) != nullptr;
    if (is_of_kind && (ratio = find_ratio(metric, pair)).has_value()) break;
  }
  return ratio;
}

/// Adds the ratio of `fast` to the most similar row of `base`: same work, in `precision`.
void add_gain(std::vector<RowRatio>& gains, const Candidate& base, const CandidateRow& fast,
              const std::string& precision) {
  if (!typical_seconds(*fast.row).has_value()) return;
  const auto without_modes = [](const RowIdentity& identity) {
    return identity.without({"device", "execution", "layout"});
  };
  const RowIdentity& identity = fast.row->identity;
  const RowIdentity wanted = without_modes(identity.with("precision", precision));
  Rows alike;
  for (const ComparedRow& slow : base.rows) {
    if (typical_seconds(slow).has_value() && without_modes(slow.identity) == wanted) alike.push_back(&slow);
  }
  const ComparedRow* const slow = find_nearest_row(identity, alike);
  const Metric* const metric = slow == nullptr ? nullptr : find_main_metric({slow, fast.row});
  if (metric != nullptr) gains.push_back(make_ratio({&base, slow}, fast, *metric));
}

std::vector<Pair> pair_rows(const CandidatePair& versus) {
  const std::vector<ComparedRow>& base = versus.base->rows;
  const std::vector<ComparedRow>& other = versus.other->rows;
  // Variants of interleaved runs may differ in anything, so their rows are paired by position.
  if (!versus.is_interleaved() || base.size() != other.size())
    return match_rows(versus, pointers_to(base), pointers_to(other));
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < base.size(); ++i) pairs.push_back({&base[i], &other[i]});
  return pairs;
}

}  // namespace

Outcome decide_outcome(const Estimate& ratio, double margin) {
  if (!ratio.interval.has_value()) return Outcome::kUnknown;
  const auto [low, high] = ratio.interval.value();
  if (low > 1) return Outcome::kBetter;
  if (high < 1) return Outcome::kWorse;
  return low >= 1 / (1 + margin) && high <= 1 + margin ? Outcome::kEqual : Outcome::kInconclusive;
}

double compute_margin(const Candidate& one, const Candidate& other) {
  if (one.equality_margin) return *one.equality_margin;
  return are_interleaved(one, other) ? kInterleavedMargin : kLeastMargin;
}

std::string outcome_word(Outcome outcome, double margin, MetricClass metric_class) {
  if (outcome == Outcome::kUnknown) return "unknown";
  if (outcome == Outcome::kInconclusive) return "inconclusive";
  if (outcome == Outcome::kEqual) return "equal within " + percent_text(margin);
  const bool is_time = metric_class == MetricClass::kTime || metric_class == MetricClass::kLatency ||
                       metric_class == MetricClass::kStartup;
  if (outcome == Outcome::kBetter) return is_time ? "faster" : "better";
  return is_time ? "slower" : "worse";
}

RowRatio make_ratio(const CandidateRow& base, const CandidateRow& other, const Metric& metric,
                    std::optional<Measuring> measuring) {
  RowRatio row{{}, base.row->find(metric), other.row->find(metric), {}, base, other};
  row.measuring = measuring.value_or(find_measuring(*base.candidate, *other.candidate));
  const std::vector<double>& over = row.over->costs;
  const std::vector<double>& under = row.under->costs;
  const std::size_t fewer = std::min(over.size(), under.size());
  row.ratio = {compute_median(over) / compute_median(under), unknown_between_runs(row)};
  if (row.measuring == Measuring::kHistory) {
    if (!row.noise().has_value()) return row;
    const RunNoise& noise = row.noise().value();
    const auto runs = static_cast<double>(noise.runs);
    row.freedom = runs - 1;
    row.noise_arm = kNormalScore * student_factor(runs - 1) * noise.deviation * std::sqrt(1 + 1 / runs);
    const double growth = std::exp(row.noise_arm);
    row.ratio.interval = Interval{row.ratio.value / growth, row.ratio.value * growth};
  } else if (row.measuring == Measuring::kInterleaved) {
    row.ratio = interleaved_ratio({row.over}, {row.under}, row.ratio.value);
    if (row.ratio.interval.has_value()) row.freedom = static_cast<double>(fewer - 1);
  } else if (fewer >= kFewestForInterval) {
    const bool is_apart = row.measuring == Measuring::kApart;
    row.ratio = ratio_of_processes(over, under, is_apart);
    if (row.ratio.interval.has_value()) row.freedom = freedom_of_ratio(over, under, is_apart);
  }
  return row;
}

Estimate compute_mean(std::span<const RowRatio> rows) {
  if (rows.size() == 1) return rows.front().ratio;
  const Samples over = mapped(rows, &RowRatio::over);
  const Samples under = mapped(rows, &RowRatio::under);
  const Estimate of_rows = compute_geometric_mean(mapped(rows, &RowRatio::ratio));
  const auto count = [&](Measuring how) { return std::ranges::count(rows, how, &RowRatio::measuring); };
  if (!of_rows.interval.has_value() || count(Measuring::kHistory) > 0) return of_rows;
  if (count(Measuring::kInterleaved) == std::ssize(rows))
    return moved_to(of_rows.value, interleaved_ratio(over, under, of_rows.value));
  const std::vector<double> above = means_in(shared_rounds(over), over);
  const std::vector<double> below = means_in(shared_rounds(under), under);
  if (std::min(above.size(), below.size()) < kFewestForInterval) return of_rows;
  const bool may_be_apart = count(Measuring::kMixed) < std::ssize(rows);
  return moved_to(of_rows.value, ratio_of_processes(above, below, may_be_apart));
}

std::vector<double> ratio_values(std::span<const RowRatio> rows) {
  return mapped(rows, [](const RowRatio& row) { return row.ratio.value; });
}

Comparison compare(std::vector<Candidate> candidates, bool is_forced, std::optional<double> equality_margin) {
  Comparison comparison;
  comparison.is_forced = is_forced;
  comparison.candidates = std::move(candidates);
  std::vector<Candidate>& all = comparison.candidates;
  name_candidates(all);
  for (Candidate& candidate : all) candidate.equality_margin = equality_margin;
  if (all.empty()) return comparison;
  const auto is_of_first = [&](const Candidate& one) { return is_same_file(one, all.front()); };
  const auto of_first = static_cast<std::size_t>(std::ranges::find_if_not(all, is_of_first) - all.begin());
  const bool is_one_file = of_first == all.size();
  for (std::size_t i = is_one_file ? 1 : of_first; i < all.size(); ++i) {
    const Candidate& base = is_one_file ? all.front() : base_for(all[i], all, of_first);
    comparison.versus_baseline.push_back({&base, &all[i], is_forced, differences(base, all[i])});
  }
  for (CandidatePair& versus : comparison.versus_baseline) {
    versus.pairs = mapped(pair_rows(versus),
                          [&](const Pair& pair) { return compare_rows(versus, pair.base, pair.other); });
  }
  return comparison;
}

RowIdentity to_work(const RowIdentity& identity) {
  std::vector<RowIdentity::Part> parts = identity.parts();
  std::erase_if(parts, [](const RowIdentity::Part& part) {
    return part.key->mode_distance > 0 || part.key->key == "device";
  });
  return RowIdentity(std::move(parts));
}

std::vector<Pair> match_rows(const CandidatePair& owner, const Rows& base, const Rows& other) {
  // The arithmetic of a sample does not depend on the data, so that publications, of which only the
  // throughput is compared, match any dataset.
  const auto find_work = [&](const ComparedRow& row) {
    const RowIdentity work = to_work(row.identity);
    return owner.is_published() ? work.without({"dataset"}) : work;
  };
  std::vector<Pair> pairs = mapped(base, [](const ComparedRow* row) { return Pair{row}; });
  std::map<RowIdentity, Rows> left;
  for (const ComparedRow* row : other) left[find_work(*row)].push_back(row);
  // Pairs equal rows before similar ones.
  for (const int most_distance : {0, std::numeric_limits<int>::max()}) {
    for (Pair& pair : pairs) {
      Rows& rows = left[find_work(*pair.base)];
      const ComparedRow* const nearest = find_nearest_row(pair.base->identity, rows);
      if (pair.other != nullptr || nearest == nullptr) continue;
      if (distance(pair.base->identity, nearest->identity) > most_distance) continue;
      pair.other = nearest;
      std::erase(rows, nearest);
    }
  }
  for (const ComparedRow* row : other) {
    if (std::ranges::find(pairs, row, &Pair::other) == pairs.end()) pairs.push_back({nullptr, row});
  }
  return pairs;
}

Pair compare_rows(const CandidatePair& owner, const ComparedRow* base, const ComparedRow* other) {
  Pair pair{base, other, {}, &owner};
  if (!pair.is_common()) return pair;
  pair.differences = compare_conditions(base->conditions, other->conditions, owner.is_interleaved());
  for (Difference& difference : pair.differences) {
    if (owner.is_published() && difference.what == "samples per epoch")
      difference.effect.front() = Comparability::kCaveat;
  }
  return pair;
}

std::vector<DifferenceCount> difference_counts(const CandidatePair& versus) {
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

std::string format_sentence(const Difference& difference, const CandidatePair& versus) {
  const std::string& what = difference.what;
  const std::string& left = difference.left;
  if (left == difference.right) return fmt::format("{}{} on both", what, left == "yes" ? "" : ": " + left);
  return fmt::format("{}: {} {}, {} {}", what, versus.base->name, left, versus.other->name, difference.right);
}

std::string pair_name(const CandidatePair& versus) { return versus.other->name + " vs " + versus.base->name; }

Comparability comparability_on(MetricClass metric_class, const Pair& pair) {
  Comparability worst = Comparability::kComparable;
  for (const auto* differences : {&pair.differences, &pair.owner->differences}) {
    for (const Difference& difference : *differences) worst = std::max(worst, difference.on(metric_class));
  }
  return pair.owner->is_forced ? std::min(worst, Comparability::kCaveat) : worst;
}

bool is_comparable(const Metric& metric, const Pair& pair) { return find_obstacle(metric, pair).empty(); }

Measured<RowRatio> find_ratio(const Metric* metric, const Pair& pair) {
  if (metric == nullptr) return find_main_ratio(pair);
  if (const std::string why = find_obstacle(*metric, pair); !why.empty()) return missing(why);
  const CandidatePair& owner = *pair.owner;
  RowRatio ratio = make_ratio({owner.base, pair.base}, {owner.other, pair.other}, *metric);
  const bool is_one_sensor = owner.base->device.model == owner.other->device.model &&
                             pair.base->energy.meter == pair.other->energy.meter;
  if (metric->use->metric_class == MetricClass::kEnergy && !is_one_sensor)
    ratio.ratio.interval = missing("different power sensors");
  return ratio;
}

Measured<Estimate> compute_ratio(const Metric& metric, const Pair& pair) {
  return find_ratio(&metric, pair).then(&RowRatio::ratio);
}

Measured<Estimate> speed_ratio(const Pair& pair) { return find_ratio(nullptr, pair).then(&RowRatio::ratio); }

std::vector<RowRatio> row_ratios(const CandidatePair& versus, const Metric* metric) {
  std::vector<RowRatio> ratios;
  for (const Pair& pair : versus.pairs) {
    const Measured<RowRatio> ratio = find_ratio(metric, pair);
    if (ratio.has_value()) ratios.push_back(ratio.value());
  }
  return ratios;
}

std::vector<RowRatio> gpu_benefits(const Comparison& comparison) {
  std::vector<RowRatio> gains;
  for (const Candidate& cpu : comparison.candidates) {
    for (const CandidateRow& row : list_rows(comparison.candidates)) {
      if (is_cpu(cpu) && !is_cpu(*row.candidate) && is_same_file(cpu, *row.candidate))
        add_gain(gains, cpu, row, row.row->identity.at("precision"));
    }
  }
  return gains;
}

std::vector<RowRatio> precision_gains(const Comparison& comparison) {
  const std::string plain = to_string(Precision::kFp32);
  std::vector<RowRatio> gains;
  for (const CandidateRow& row : list_rows(comparison.candidates)) {
    const std::string& precision = row.row->identity.at("precision");
    if (!precision.empty() && precision != plain) add_gain(gains, *row.candidate, row, plain);
  }
  return gains;
}

}  // namespace gpubench
