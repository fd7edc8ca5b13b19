#include "gpubench/record/derived.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/figure.h"
#include "support/sample_runs.h"

namespace gpubench::test::derived_test {
namespace {

CaseRecord with_epochs(std::vector<double> seconds) {
  CaseRecord record = finished_case();
  record.epoch_seconds = std::move(seconds);
  return record;
}

CaseRecord fitted_case() {
  CaseRecord record = finished_case();
  record.protocol = "fit";
  record.setup = Seconds{0.25};
  record.validation_seconds = {0.1, 0.1, 0.1, 0.1, 0.2};
  return record;
}

}  // namespace

TEST_CASE("steady epochs exclude the warm-up") {
  CaseRecord record = finished_case();
  const auto steady = steady_epochs(record);
  CHECK(std::vector<double>(steady.begin(), steady.end()) == std::vector<double>{0.5, 0.52, 0.48, 0.51});

  record.warmup_epochs = 0;
  CHECK(steady_epochs(record).size() == 5);
}

TEST_CASE("the half-width between runs needs three processes") {
  const auto known = [](const std::vector<double>& medians) { return halfwidth_between_runs(medians); };
  const std::vector<double> three{1, 1.1, 1.2};
  CHECK(known(three) == halfwidth(median_interval_of_independent(three), 1.1));
  CHECK(known({1}).reason() == "only one run; use --repeat 5");
  CHECK(known({1, 2}).reason() == "only two runs; use --repeat 5");
  CHECK(known({}).reason() == "no process succeeded");
}

TEST_CASE("start-up equals the set-up if the first epoch is the fastest") {
  CaseRecord record = finished_case();
  record.setup = Seconds{0.05};
  record.epoch_seconds = {0.4, 0.49, 0.5, 0.51};
  CHECK(startup(record).value() == Seconds{0.05});
}

TEST_CASE("start-up is missing without a warm-up epoch or a set-up time") {
  CaseRecord record = finished_case();
  record.warmup_epochs = 0;
  CHECK_THAT(startup(record).reason(), contains_text("warm-up"));

  record = finished_case();
  record.setup = missing("not timed");
  CHECK(startup(record).reason() == "not timed");
}

TEST_CASE("figures of a failed case are missing because of its status") {
  CHECK_THAT(epoch_summary(failed_case()).reason(), contains_text("ended as oom"));
  CHECK_THAT(samples_per_second(failed_case()).reason(), contains_text("ended as oom"));
  CHECK_THAT(figure(failed_case(), "first_epoch_seconds").reason(), contains_text("ended as oom"));
}

TEST_CASE("outliers are epoch numbers from 1 and exclude the warm-up") {
  using Numbers = std::vector<std::int64_t>;
  const auto outliers_in = [](const CaseRecord& c) { return figure<Numbers>(c, "outlier_epochs").value(); };
  CHECK(outliers_in(with_epochs({9, 1, 1.1, 0.9, 5, 1.05, 0.95})) == Numbers{5});
  CHECK(outliers_in(finished_case()).empty());
  CHECK(outliers_in(failed_case()).empty());
}

TEST_CASE("slowing epochs are not steady, and the slope is relative to the median") {
  const CaseRecord slowing = with_epochs({9, 8, 9, 10, 11, 12});
  CHECK_FALSE(is_steady(slowing).value());
  CHECK(epoch_slope(slowing).value() == approx(0.1));
  CHECK(is_steady(with_epochs({9, 1, 1.1, 0.9, 1.05, 0.95})).value());
}

TEST_CASE("steadiness is missing for four epochs") {
  CHECK(is_steady(finished_case()).reason() == "fewer than 5 epochs after the warm-up");
  CHECK(epoch_slope(finished_case()).reason() == "fewer than 5 epochs after the warm-up");
  CHECK_THAT(is_steady(failed_case()).reason(), contains_text("ended as oom"));
}

TEST_CASE("the fit time is the sum of set-up, epochs and validations") {
  CHECK(figure(fitted_case(), "fit_seconds").value() == approx(0.25 + 2.81 + 0.6));
}

TEST_CASE("the fit time is missing for protocol epoch and for an unfinished fit") {
  CHECK_THAT(figure(finished_case(), "fit_seconds").reason(), contains_text("protocol fit"));
  CaseRecord record = fitted_case();
  record.status = RowStatus::kTimeout;
  CHECK(figure(record, "fit_seconds").reason() == "the case ended as timeout");
  record = fitted_case();
  record.setup = missing("not timed");
  CHECK(figure(record, "fit_seconds").reason() == "not timed");
}

TEST_CASE("a missing named value has the name in its reason") {
  const CaseRecord record = finished_case();
  CHECK(find_value(record.test, "accuracy").value() == approx(0.8763));
  CHECK_THAT(find_value(record.test, "perplexity").reason(), contains_text("perplexity"));
  CHECK(find_value(missing("no test set"), "accuracy").reason() == "no test set");
}

}  // namespace gpubench::test::derived_test
