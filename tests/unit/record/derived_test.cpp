#include "gpubench/record/derived.h"

#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

CaseRecord without_epochs() {
  CaseRecord record = finished_case();
  record.epoch_seconds.clear();
  return record;
}

}  // namespace

TEST_CASE("steady epochs are those after the warm-up") {
  CaseRecord record = finished_case();
  const auto steady = steady_epochs(record);
  CHECK(std::vector<double>(steady.begin(), steady.end()) == std::vector<double>{0.5, 0.52, 0.48, 0.51});

  record.warmup_epochs = 0;
  CHECK(steady_epochs(record).size() == 5);
}

TEST_CASE("a case that ended within the warm-up has no steady epoch") {
  CaseRecord record = finished_case();
  record.epoch_seconds = {0.8};
  CHECK(steady_epochs(record).empty());
  CHECK(epoch_summary(record).reason() == "no epoch after the warm-up");
}

TEST_CASE("the summary leaves the warm-up out") {
  const Summary summary = epoch_summary(finished_case()).value();
  CHECK(summary.count == 4);
  CHECK(summary.median == approx(0.505));
  CHECK(summary.mean == approx(0.5025));
  CHECK(summary.max == approx(0.52));
}

TEST_CASE("throughput is the samples of an epoch by the median epoch") {
  CHECK(samples_per_second(finished_case()).value() == approx(50000 / 0.505));
}

TEST_CASE("throughput is absent where an epoch took no measurable time") {
  CaseRecord record = finished_case();
  record.epoch_seconds = {0, 0, 0};
  CHECK_FALSE(samples_per_second(record).has_value());
}

TEST_CASE("the first epoch is the first, warm-up or not") {
  CHECK(first_epoch(finished_case()).value() == Seconds{0.8});
  CHECK(first_epoch(without_epochs()).reason() == "no epoch finished");
}

TEST_CASE("start-up is set-up plus what the first epoch took beyond a median one") {
  CHECK(startup(finished_case()).value().value == approx(0.25 + 0.8 - 0.505));
}

TEST_CASE("start-up is negative where the first epoch was the fastest and set-up took nothing") {
  CaseRecord record = finished_case();
  record.setup = Seconds{0};
  record.epoch_seconds = {0.4, 0.5, 0.5};
  CHECK(startup(record).value().value == approx(-0.1));
}

TEST_CASE("start-up is absent without a warm-up epoch or without a set-up time") {
  CaseRecord record = finished_case();
  record.warmup_epochs = 0;
  CHECK_THAT(startup(record).reason(), contains_text("warm-up"));

  record = finished_case();
  record.setup = absent("not timed");
  CHECK(startup(record).reason() == "not timed");
}

TEST_CASE("figures of a failed case are absent because of its failure") {
  CHECK_THAT(epoch_summary(failed_case()).reason(), contains_text("ended as oom"));
  CHECK_THAT(samples_per_second(failed_case()).reason(), contains_text("ended as oom"));
  CHECK_THAT(first_epoch(failed_case()).reason(), contains_text("ended as oom"));
}

TEST_CASE("a named value is found by its name, or absent with the name in the reason") {
  const CaseRecord record = finished_case();
  CHECK(value_of(record.test, "accuracy").value() == approx(0.8763));
  CHECK_THAT(value_of(record.test, "perplexity").reason(), contains_text("perplexity"));
  CHECK(value_of(absent("no test set"), "accuracy").reason() == "no test set");
}

}  // namespace gpubench::test
