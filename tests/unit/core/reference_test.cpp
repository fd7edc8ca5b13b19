// Statistics compared with those of scipy, see tests/fixtures/statistics/README.md.

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::reference_test {
namespace {

using nlohmann::json;

json reference() { return json::parse(std::ifstream(fixtures_dir() + "/statistics/scipy.json")); }

Interval interval_in(const json& pair) { return {pair.at(0).get<double>(), pair.at(1).get<double>()}; }

double log_width(const Interval& interval) { return std::log(interval.high / interval.low); }

bool overlaps(const Interval& a, const Interval& b) { return a.low < b.high && b.low < a.high; }

constexpr double kRounding = 1e-9;

}  // namespace

TEST_CASE("medians, their ratios and geometric means agree with scipy") {
  const json comparisons = reference().at("comparisons");
  for (const json& sample : comparisons) {
    const std::vector<double> above = sample.at("numerators");
    const std::vector<double> below = sample.at("denominators");
    std::vector<Estimate> figures;
    for (const double value : above) figures.push_back({value, missing("a single value")});
    CHECK(std::abs(compute_median(above) - sample.at("median").get<double>()) < kRounding);
    CHECK(std::abs(ratio_of_medians(above, below).value - sample.at("ratio").get<double>()) < kRounding);
    CHECK(std::abs(compute_geometric_mean(figures).value - sample.at("geometric_mean").get<double>()) <
          kRounding);
  }
}

// Intervals are wider by Student's factor on purpose. The tolerance covers 400 instead of 19,999 resamples.
TEST_CASE("intervals of a ratio agree with the percentile bootstrap of scipy times Student's factor") {
  const json comparisons = reference().at("comparisons");
  for (const json& sample : comparisons) {
    const std::vector<double> above = sample.at("numerators");
    const std::vector<double> below = sample.at("denominators");
    INFO(above.size() << " values per side");
    const Interval ours = ratio_of_medians(above, below).interval.value();
    const double factor = student_factor(2 * static_cast<double>(above.size() - 1));
    const double ratio = log_width(ours) / log_width(interval_in(sample.at("percentile")));
    CHECK(ratio > 0.9 * factor);
    CHECK(ratio < 1.1 * factor);
    const double to_bca = log_width(ours) / log_width(interval_in(sample.at("bca")));
    CHECK(to_bca > 0.8);
    CHECK(to_bca < 1.4);
    CHECK(overlaps(ours, interval_in(sample.at("bca"))));
  }
}

// Ten values have few different medians of resamples, so percentiles jump.
TEST_CASE("intervals of a median agree with the percentile bootstrap of scipy, wider for small samples") {
  const json comparisons = reference().at("comparisons");
  for (const json& sample : comparisons) {
    const std::vector<double> values = sample.at("numerators");
    INFO(values.size() << " values");
    const auto count = static_cast<double>(values.size());
    const double factor = student_factor(count - 1) * std::sqrt(count / (count - 1));
    const Interval ours = median_interval_of_independent(values).value();
    const double ratio = log_width(ours) / log_width(interval_in(sample.at("median_percentile")));
    CHECK(ratio > 0.8 * factor);
    CHECK(ratio < 1.2 * factor);
  }
}

TEST_CASE("Student's factor agrees with scipy to 1 % for three and to 0.3 % for more degrees of freedom") {
  const json student = reference().at("student");
  CHECK(student_factor(3) == approx(student.at("3").get<double>()).epsilon(0.01));
  for (const std::string freedom : {"4", "8", "9", "18", "38"}) {
    INFO(freedom << " degrees of freedom");
    CHECK(student_factor(std::stod(freedom)) == approx(student.at(freedom).get<double>()).epsilon(0.003));
  }
}

}  // namespace gpubench::test::reference_test
