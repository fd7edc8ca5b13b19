#include <algorithm>

#include "compare/published.h"
#include "compare/rows.h"
#include "data/golden_text.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/sample_runs.h"

namespace gpubench::test::compare_test {
namespace {

/// Runs by file name.
using Runs = std::vector<std::pair<std::string, RunRecord>>;

Comparison compared(const Runs& runs, bool is_forced = false) {
  std::vector<Candidate> candidates;
  for (const auto& [file, run] : runs) {
    for (Candidate& candidate : make_candidates(run, file)) candidates.push_back(std::move(candidate));
  }
  return compare(std::move(candidates), is_forced);
}

std::string to_text(const Page& page) { return report_formats().require("txt", "format").render(page); }

/// Returns the page with details, flattened.
std::string comparison_text(const Runs& runs, bool is_forced = false) {
  Page page = comparison_page(compared(runs, is_forced));
  page.shows_details = true;
  return flattened(to_text(page));
}

/// Returns the laptop's cases in bf16, and a case in fp32.
RunRecord half_precision_run() {
  RunRecord run = laptop_run();
  run.environment.host = "tablet";
  for (CaseRecord& record : run.cases) record.mode.precision = Precision::kBf16;
  run.cases.push_back(timed_case("mlp", 32, 3, 0.1));
  run.cases.back().device = "cpu";
  return run;
}

/// Returns a case on one rank, and its strong and weak scaling on `ranks` ranks with `part` times the epoch
/// time. A fifth of the time is for exchanges.
RunRecord scaled_run(const std::string& host, std::int64_t ranks, double part) {
  std::vector<CaseRecord> cases{timed_case("mlp", 32, 2, 0)};
  for (const std::int64_t batch : {std::int64_t{32}, 32 * ranks}) {
    CaseRecord& record = cases.emplace_back(timed_case("mlp", batch, 2 * part, 0));
    record.ranks = ranks;
    for (const double epoch : record.epoch_seconds) record.communication_seconds.push_back(epoch / 5);
    record.imbalance.assign(record.epoch_seconds.size(), 0.02);
  }
  return run_on(host, "cpu", std::move(cases));
}

/// Returns five repeats of each case, with `factor` times the laptop's times.
RunRecord repeated_run(double factor) {
  RunRecord run = run_on("laptop", "cpu", {});
  for (std::int64_t repeat = 1; repeat <= 5; ++repeat) {
    for (const double seconds : {2.0, 4.0}) {
      const double scatter = 1 + 0.002 * static_cast<double>(repeat);
      CaseRecord record =
          timed_case("mlp", static_cast<std::int64_t>(64 * seconds), factor * scatter * seconds, 0);
      record.device = "cpu";
      record.repeat = repeat;
      run.cases.push_back(record);
    }
  }
  return run;
}

/// Returns a variant of an interleaved run of `rounds` rounds.
RunRecord make_side(const std::string& side, double factor, std::int64_t rounds) {
  RunRecord run = repeated_run(factor);
  run.plan.interleaved_run = std::string("2026-01-01T00-00-00Z-1");
  run.plan.variant = side;
  std::erase_if(run.cases, [&](const CaseRecord& record) { return record.repeat > rounds; });
  return run;
}

/// Returns the first sentence of the comparison.
std::string answer(const RunRecord& a, const RunRecord& b) {
  return comparison_page(compared({{"a.json", a}, {"b.json", b}})).summary.front().text;
}

std::string gate_text(const RunRecord& before, const RunRecord& after) {
  const Comparison comparison = compared({{"before.json", before}, {"after.json", after}});
  return to_text(gate_page(comparison, gate(comparison, {{nullptr, 0.05}})));
}

GateVerdict gate_answer(const RunRecord& before, const RunRecord& after) {
  return gate(compared({{"before.json", before}, {"after.json", after}}), {{nullptr, 0.05}}).answer;
}

}  // namespace

TEST_CASE("variants of an interleaved run are named by their differences") {
  RunRecord half = make_side("B", 0.5, 5);
  for (CaseRecord& record : half.cases) record.mode.precision = Precision::kAmpBf16;
  check_parts(comparison_text({{"a.json", make_side("A", 1, 5)}, {"b.json", half}}),
              {"B (laptop, cpu, Processor 9000, precision amp-bf16) is 2.00 times as fast as A",
               "mlp, batch 128 / mlp, 24,851 49,702 2.00 ", " variant ", " precision amp-bf16 "});
}

TEST_CASE("too few rounds give advice to run more") {
  CHECK_THAT(answer(make_side("A", 1, 2), make_side("B", 2, 2)),
             contains_text("only 2 of the needed 4 rounds; use more rounds)."));
}

TEST_CASE("a comparison reports the faster run, the ratio, failures and missing cases") {
  Page page = comparison_page(compared({{"laptop.json", laptop_run()}, {"desk.json", desk_run()}}));
  check_golden("compare_machines.txt", to_text(page));
}

TEST_CASE("scaling is shown for each machine and workload") {
  const Runs runs = {{"desk.json", scaled_run("desk", 2, 0.625)}, {"rack.json", scaled_run("rack", 4, 0.3)}};
  check_parts(comparison_text(runs), {"Scaling", "desk mlp", "20.00", "80.00", "83.33"});
  const Page page = comparison_page(compared(runs));
  const auto section = std::ranges::find(page.sections, "Scaling", &Section::title);
  REQUIRE(section != page.sections.end());
  const auto& chart = std::get<Chart>(section->blocks.at(1));
  REQUIRE(chart.series.size() == 4);
  CHECK(chart.series.front().name == "desk, mlp, batch 32, strong");
  CHECK(chart.series.front().points.front().x == 2);
  CHECK(chart.series.front().points.front().y == approx(80));
}

TEST_CASE("equal machines are named by their files") {
  const Page page = comparison_page(compared({{"one.json", laptop_run()}, {"two.json", laptop_run()}}));
  CHECK(page.title == "two vs one");
}

TEST_CASE("without comparable cases the page has one reason and no table") {
  RunRecord strange = laptop_run();
  for (CaseRecord& record : strange.cases) record.dataset = "cifar10";
  const std::string text = comparison_text({{"a.json", laptop_run()}, {"b.json", strange}});
  CHECK_THAT(text, contains_text("no comparable case: no case in common."));
  for (const char* section : {" Cases ", "By model", "Differences"})
    CHECK_THAT(text, !contains_text(section));
  Runs many(12, {"b.json", strange});
  many.insert(many.begin(), {"a.json", laptop_run()});
  CHECK_THAT(comparison_text(many),
             contains_text("Not ranked (no comparable case with another machine): a cpu (1)."));
}

TEST_CASE("cases of different precision are refused unless forced") {
  const Runs runs = {{"laptop.json", laptop_run()}, {"tablet.json", half_precision_run()}};
  check_parts(
      comparison_text(runs),
      {"was measured 1.33 times as fast as laptop (cpu, Processor 9000) (1 case;",
       "Not compared: different precision: laptop fp32, tablet bf16 (3 cases).",
       "mlp, batch 128 / mlp, batch 128, 25,000 25,000 - [1]",
       "[1] refused: precision: laptop fp32, tablet bf16 ", "precision fp32 bf16 3 cases refused refused"});
  check_parts(
      comparison_text(runs, true),
      {"was measured 1.10 times as fast as laptop",
       "Compared because of --unlike: different precision: laptop fp32, tablet bf16 (3 cases).",
       "mlp, batch 128 / mlp, batch 128, 25,000 25,000 1.00 ", "precision: laptop fp32, tablet bf16"});
}

TEST_CASE("three machines are ranked and compared with the first") {
  const Runs runs = {
      {"laptop.json", laptop_run()}, {"desk.json", desk_run()}, {"tablet.json", half_precision_run()}};
  Page page = comparison_page(compared(runs));
  check_golden("compare_ranking.txt", to_text(page));
  check_parts(comparison_text(runs), {"- Median throughput; ratio above 1: tablet is better"});
}

TEST_CASE("published machines are ranked, and marked as published") {
  check_parts(
      comparison_text({{"published:m1-ultra-rtx-2070-super", published_run("m1-ultra-rtx-2070-super")}}),
      {"RTX 2070 Super was measured fastest ", "published values have no interval",
       "M1 Ultra CPU, M1 Ultra GPU, RTX 2070 Super: published values, different protocol, not verified: ",
       "Speed relative to M1 Ultra CPU: RTX 2070 Super ", "M1 Ultra CPU siamese, batch 64 12,362 35.0 ",
       "M1 Ultra GPU dcgan, batch 64 error published as: runtime error ",
       "siamese, batch 64 353 s 39.8 s 8.87 "});
}

TEST_CASE("with many machines the overall ranking comes first") {
  Runs runs;
  for (int i = 0; i < 12; ++i) runs.emplace_back("run" + std::to_string(i) + ".json", laptop_run());
  const std::string text = comparison_text(runs);
  check_parts(text, {"run0 was measured fastest ", "Geometric mean of 3 cases rank machine",
                     "run11 vs run0 all 3 1.00 1.00 1.00 [1]", "run11.json "});
  CHECK_THAT(text, !contains_text("run11 vs run0 mlp") && !contains_text("Differences"));
}

TEST_CASE("the values of a comparison are rows in base units") {
  const Comparison comparison = compared({{"laptop.json", laptop_run()}, {"desk.json", desk_run()}});
  Page page;
  page.data = comparison_data(comparison);
  check_golden("compare_machines.csv", report_formats().require("csv", "format").render(page));
}

TEST_CASE("the figures of a comparison are rows, with averages by model and over all") {
  const Comparison comparison =
      compared({{"laptop.json", laptop_run()}, {"mixed.json", half_precision_run()}});
  Page page;
  page.data = comparison_values(comparison);
  check_golden("compare_figures.csv", report_formats().require("csv", "format").render(page));
}

TEST_CASE("runs without a common case have no average") {
  RunRecord strange = laptop_run();
  for (CaseRecord& record : strange.cases) record.dataset = "cifar10";
  const Table table = comparison_values(compared({{"laptop.json", laptop_run()}, {"strange.json", strange}}));
  const auto& row = table.rows.back();
  CHECK(row.front().text == "speed_ratio");
  CHECK(row.at(17).value == 0);
  CHECK_FALSE(row.at(18).value);
}

TEST_CASE("a gate passes equal runs and stops slower ones") {
  check_golden("gate_pass.txt", gate_text(repeated_run(1), repeated_run(1.01)));
  check_golden("gate_regression.txt", gate_text(repeated_run(1), repeated_run(1.1)));
}

TEST_CASE("a gate is inconclusive for single processes and gives the reason with figures") {
  RunRecord before = run_on("laptop", "cpu", {timed_case("mlp", 32, 4, 0)});
  RunRecord after = before;
  after.cases.front().epoch_seconds = std::vector<double>(8, 4.6);
  CHECK(gate_answer(before, after) == GateVerdict::kInconclusive);
  check_golden("gate_inconclusive.txt", gate_text(before, after));
}

TEST_CASE("a gate reports the interval of an inconclusive row") {
  RunRecord noisy = repeated_run(1.04);
  for (CaseRecord& record : noisy.cases) {
    for (double& seconds : record.epoch_seconds) seconds *= record.repeat % 2 == 0 ? 1.02 : 1;
  }
  check_golden("gate_doubt.txt", gate_text(repeated_run(1), noisy));
}

TEST_CASE("a gate fails for cases that no longer run and refuses missing cases") {
  const RunRecord before = repeated_run(1);
  RunRecord failing = before;
  RunRecord lacking = before;
  for (CaseRecord& record : failing.cases) {
    if (record.batch_size == 256) record = oom_case("mlp", 256);
    record.device = "cpu";
  }
  std::erase_if(lacking.cases, [](const CaseRecord& record) { return record.batch_size == 256; });
  check_golden("gate_failing.txt", gate_text(before, failing));
  CHECK(gate_answer(before, failing) == GateVerdict::kRegression);
  CHECK(gate_answer(before, lacking) == GateVerdict::kIncomparable);
  CHECK(gate_answer(lacking, before) == GateVerdict::kPass);
}

}  // namespace gpubench::test::compare_test
