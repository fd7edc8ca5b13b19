#include <algorithm>

#include <fmt/format.h>

#include "compare/ops_contest.h"

namespace gpubench {
namespace {

/// Ratios and times of what is averaged.
struct Sample {
  std::string op;
  std::vector<Estimate> ratios;
  double base_seconds = 0;
  double other_seconds = 0;

  void add(const OpPair& pair) {
    ratios.push_back(pair.ratio.value());
    base_seconds += pair.base_time.value().value;
    other_seconds += pair.other_time.value().value;
  }

  /// The numbers of both times are equal, so that the ratio of sums is that of means.
  OpsAverage average() const {
    return {op, ratios.size(), geometric_mean_of(ratios), base_seconds / other_seconds};
  }
};

}  // namespace

std::vector<OpsAverage> averages_of(const OpsDuel& duel) {
  std::vector<Sample> samples;
  Sample all;
  for (const OpPair& pair : duel.pairs) {
    if (!pair.ratio.has_value()) continue;
    auto sample = std::find_if(samples.begin(), samples.end(),
                               [&](const Sample& known) { return known.op == pair.any().op; });
    if (sample == samples.end()) sample = samples.insert(sample, {pair.any().op, {}});
    sample->add(pair);
    all.add(pair);
  }
  std::vector<OpsAverage> averages;
  for (const Sample& sample : samples) averages.push_back(sample.average());
  if (samples.size() > 1) averages.push_back(all.average());
  return averages;
}

std::string speed_up_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  return percent > -9.95 && percent < 9.95 ? fmt::format("{:+.1f} %", percent)
                                           : fmt::format("{:+.0f} %", percent);
}

}  // namespace gpubench
