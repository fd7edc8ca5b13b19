#include "compare/comparison.h"
#include "compare/rows.h"

#include "compare/published.h"
#include "gpubench/core/collect.h"
#include "support/catch.h"
#include "support/compared_runs.h"

namespace gpubench::test::comparison_test {
namespace {

/// Compares runs, each in its own file.
Comparison compared(const std::vector<RunRecord>& runs, bool is_forced = false) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (Candidate& candidate : make_candidates(runs[i], "run" + std::to_string(i) + ".json")) {
      candidates.push_back(std::move(candidate));
    }
  }
  return compare(std::move(candidates), is_forced);
}

const Pair& first_pair(const Comparison& comparison) { return comparison.versus_baseline.at(0).pairs.at(0); }

Measured<Estimate> first_ratio(const Comparison& comparison) { return speed_ratio(first_pair(comparison)); }

RunRecord one_case(const std::string& host, CaseRecord record) {
  return run_on(host, "cpu", {std::move(record)});
}

RunRecord with_two_devices(const std::string& host, const std::string& second) {
  RunRecord run = run_on(host, "cpu", {timed_case("mlp", 32, 8, 0)});
  RunRecord other = run_on(host, second, {timed_case("mlp", 32, 1, 0)});
  run.cases.push_back(other.cases.front());
  run.environment.devices.push_back(other.environment.devices.front());
  return run;
}

}  // namespace

TEST_CASE("a case is compared with the most similar case") {
  CaseRecord half = timed_case("mlp", 32, 1, 0);
  half.mode.precision = Precision::kBf16;
  const CaseRecord plain = timed_case("mlp", 32, 4, 0);
  const Comparison comparison =
      compared({run_on("a", "cpu", {plain}), run_on("b", "cpu", {half, timed_case("mlp", 32, 2, 0)})});
  CHECK(first_ratio(comparison).value().value == approx(2));
  CHECK(comparison.versus_baseline.at(0).pairs.at(1).other->identity.at("precision") == "bf16");
}

TEST_CASE("values that a file does not state are not differences") {
  RunRecord silent = one_case("b", timed_case("mlp", 32, 2, 0));
  silent.environment.libtorch_version = "";
  silent.environment.threads = 0;
  silent.cases.front().execution_used = missing("an older file");
  silent.cases.front().train_samples = 0;
  const Comparison comparison = compared({one_case("a", timed_case("mlp", 32, 4, 0)), silent});
  CHECK(comparison.versus_baseline.at(0).differences.empty());
  CHECK(first_pair(comparison).differences.empty());
}

TEST_CASE("equal files have no differences") {
  const Comparison comparison = compared({repeated(laptop_run()), repeated(laptop_run())});
  const CandidatePair& versus = comparison.versus_baseline.at(0);
  CHECK(versus.differences.empty());
  CHECK(first_ratio(comparison).value().value == 1);
}

TEST_CASE("missing energy has no ratio") {
  const Comparison comparison = compared({laptop_run(), laptop_run()});
  const Metric& energy = find_metric("mean_epoch_joules", "");
  CHECK_THAT(compute_ratio(energy, first_pair(comparison)).reason(),
             contains_text("energy was not measured"));
}

TEST_CASE("a publication's CPU is recognised by its name, and its GPUs are compared with GPUs") {
  const auto candidates = make_candidates(published_run("m1-ultra-rtx-2070-super"), "published.json");
  REQUIRE(candidates.size() == 3);
  CHECK(is_cpu(candidates[0]));
  CHECK_FALSE(is_cpu(candidates[1]));
  RunRecord gpu = run_on("a", "cuda:0", {timed_case("mlp", 32, 1, 0)});
  const Comparison comparison = compared({published_run("m1-ultra-rtx-2070-super"), gpu});
  CHECK(comparison.versus_baseline.at(0).base->device.name == candidates[1].device.name);
}

TEST_CASE("the gain of a precision is relative to the most similar case in fp32") {
  RunRecord run = run_on("a", "cuda:0", {});
  for (const auto& [precision, execution, seconds] : {std::tuple{Precision::kFp32, Execution::kEager, 8.0},
                                                      {Precision::kFp32, Execution::kGraph, 6.0},
                                                      {Precision::kBf16, Execution::kGraph, 2.0},
                                                      {Precision::kBf16, Execution::kEager, 4.0}}) {
    CaseRecord record = timed_case("mlp", 32, seconds, 0);
    record.device = "cuda:0";
    record.mode.precision = precision;
    record.mode.execution = execution;
    run.cases.push_back(record);
  }
  const Comparison comparison = compared({run});
  const std::vector<RowRatio> gains = precision_gains(comparison);
  REQUIRE(gains.size() == 2);
  CHECK(gains[0].ratio.value == approx(3));
  CHECK(gains[1].ratio.value == approx(2));
}

TEST_CASE("the benefit of a GPU is relative to the CPU of its file, in equal precision") {
  RunRecord run = with_two_devices("a", "mps");
  CaseRecord half = timed_case("mlp", 32, 0.5, 0);
  half.device = "mps";
  half.mode.precision = Precision::kBf16;
  run.cases.push_back(half);
  const Comparison comparison = compared({run, run_on("b", "cuda:0", {timed_case("mlp", 32, 1, 0)})});
  const std::vector<RowRatio> benefits = gpu_benefits(comparison);
  REQUIRE(benefits.size() == 1);
  CHECK(benefits[0].other.candidate->device.name == "mps");
  CHECK(benefits[0].ratio.value == approx(8));
}

TEST_CASE("candidates are named by host, device or file, whichever tells them apart") {
  const auto names = [](std::vector<RunRecord> runs) {
    return mapped(compared(runs).candidates, &Candidate::name);
  };
  using Names = std::vector<std::string>;
  const RunRecord laptop = one_case("laptop", timed_case("mlp", 32, 4, 0));
  const RunRecord desk = one_case("desk", timed_case("mlp", 32, 4, 0));
  CHECK(names({laptop, desk}) == Names{"laptop", "desk"});
  CHECK(names({laptop, laptop}) == Names{"run0", "run1"});
  CHECK(names({with_two_devices("laptop", "mps")}) == Names{"cpu", "mps"});
  CHECK(names({with_two_devices("laptop", "mps"), desk}) == Names{"laptop cpu", "laptop mps", "desk cpu"});
  CHECK(names({one_case("", timed_case("mlp", 32, 4, 0)), desk}) == Names{"run0", "desk"});
}

TEST_CASE("fewer than two devices are not compared") {
  CHECK(compared({}).versus_baseline.empty());
  CHECK(compared({laptop_run()}).versus_baseline.empty());
}

}  // namespace gpubench::test::comparison_test
