#include <algorithm>
#include <string>
#include <vector>

#include "gpubench/record/derived.h"
#include "pages/sections.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test::case_rows_test {
namespace {

/// A repetition whose epochs after the first all take so long.
CaseRecord process(std::int64_t repeat, double seconds, double accuracy = 0.5) {
  CaseRecord record = finished_case();
  record.repeat = repeat;
  record.epoch_seconds = {9, seconds, seconds, seconds};
  record.test = NamedValues{{"accuracy", accuracy}};
  return record;
}

RunRecord make_run(std::vector<CaseRecord> cases) {
  RunRecord run;
  run.cases = std::move(cases);
  return run;
}

FieldValue in(const CaseSummary& row, const std::string& key) {
  const auto fields = case_row_fields();
  return std::ranges::find(fields, key, &Field<CaseSummary>::key)->get(row);
}

double number_in(const CaseSummary& row, const std::string& key) { return std::get<double>(in(row, key)); }

}  // namespace

TEST_CASE("the rate of two repetitions is that of their median time") {
  const RunRecord run = make_run({process(1, 1), process(2, 3)});
  const CaseSummary row = aggregate_repeats(run).front();
  const double samples = static_cast<double>(run.cases[0].train_samples);
  CHECK(number_in(row, "median_epoch_seconds") == 2);
  CHECK(number_in(row, "samples_per_second") == approx(samples / 2));
}

TEST_CASE("a repetition that failed is in the row and in none of its figures") {
  CaseRecord failed = process(2, 100);
  failed.status = RowStatus::kDiverged;
  const RunRecord run = make_run({process(1, 1), failed});
  const CaseSummary row = aggregate_repeats(run).front();
  CHECK(row.all.size() == 2);
  CHECK(row.is_ok());
  CHECK(number_in(row, "median_epoch_seconds") == 1);
  CHECK_THAT(row.between_runs.reason(), contains_text("only one run"));

  const RunRecord lost = make_run({failed});
  CHECK_FALSE(aggregate_repeats(lost).front().is_ok());
  CHECK(number_in(aggregate_repeats(lost).front(), "median_epoch_seconds") == 100);
}

TEST_CASE("words that repetitions differ in stand one behind the other") {
  CaseRecord slow = process(1, 1);
  slow.peak_flops_per_second = 1e30;
  slow.operation_latency = Seconds{1e9};
  CaseRecord fast = process(2, 1);
  fast.peak_flops_per_second = 1;
  fast.operation_latency = Seconds{0};
  const RunRecord run = make_run({slow, fast, slow});
  CHECK(std::get<std::string>(in(aggregate_repeats(run).front(), "bottleneck")) == "launch / compute");
}

}  // namespace gpubench::test::case_rows_test
