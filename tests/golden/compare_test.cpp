#include <algorithm>

#include "compare/published.h"
#include "golden/golden_text.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/paths.h"
#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

/// Runs with the file that each is from.
using Runs = std::vector<std::pair<std::string, RunRecord>>;

Comparison compared(const Runs& runs, bool is_forced = false) {
  std::vector<Contender> contenders;
  for (const auto& [file, run] : runs) {
    for (Contender& contender : contenders_of(run, file)) contenders.push_back(std::move(contender));
  }
  return compare(std::move(contenders), is_forced);
}

std::string text_of(const Page& page) { return report_formats().require("txt", "format").render(page); }

std::string comparison_text(const Runs& runs, bool is_forced = false) {
  return text_of(comparison_page(compared(runs, is_forced), Detail::kTables));
}

/// The laptop's cases in bf16, two of them beside fp32 ones.
RunRecord half_precision_run() {
  RunRecord run = laptop_run();
  run.environment.host = "tablet";
  for (CaseRecord& record : run.cases) record.mode.precision = Precision::kBf16;
  run.cases.push_back(timed_case("mlp", 32, 3, 0.1));
  run.cases.back().device = "cpu";
  return run;
}

RunRecord fixture(const std::string& name) { return read_run_file(fixtures_dir() + "/results/" + name); }

/// On one rank and on `ranks`, strong and weak, whose epoch takes `part` of the time of one; a fifth of it
/// for exchanges.
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

/// Five processes of each case, `factor` times as slow as the laptop's.
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

/// A side of an alternation of the first `rounds` of these.
RunRecord side_of(const std::string& side, double factor, std::int64_t rounds) {
  RunRecord run = repeated_run(factor);
  run.plan.alternation = std::string("2026-01-01T00-00-00Z-1");
  run.plan.side = side;
  std::erase_if(run.cases, [&](const CaseRecord& record) { return record.repeat > rounds; });
  return run;
}

/// What is said first of two runs.
std::string answer(const RunRecord& a, const RunRecord& b) {
  return comparison_page(compared({{"a.json", a}, {"b.json", b}}), Detail::kTables).summary.front().text;
}

std::string gate_text(const RunRecord& before, const RunRecord& after) {
  const Comparison comparison = compared({{"before.json", before}, {"after.json", after}});
  return text_of(gate_page(comparison, gate(comparison, 0.05)));
}

GateVerdict gate_answer(const RunRecord& before, const RunRecord& after) {
  return gate(compared({{"before.json", before}, {"after.json", after}}), 0.05).answer;
}

}  // namespace

TEST_CASE("sides in alternation are told apart by what they differ in, and compare without reservation") {
  RunRecord half = side_of("B", 0.5, 5);
  for (CaseRecord& record : half.cases) record.mode.precision = Precision::kAmpBf16;
  check_golden("compare_alternation.txt",
               comparison_text({{"a.json", side_of("A", 1, 5)}, {"b.json", half}}));
}

TEST_CASE("of too few rounds it is said that more will tell") {
  CHECK_THAT(answer(side_of("A", 1, 2), side_of("B", 2, 2)),
             contains_text("2 of at least 4 rounds). More rounds decide it."));
}

TEST_CASE("a comparison says who is faster, by how much, and what failed or is missing") {
  check_golden("compare_machines.txt",
               comparison_text({{"laptop.json", laptop_run()}, {"desk.json", desk_run()}}));
}

TEST_CASE("what ranks gain stands beside each other, of each machine and work") {
  const Runs runs = {{"desk.json", scaled_run("desk", 2, 0.625)}, {"rack.json", scaled_run("rack", 4, 0.3)}};
  check_golden("compare_ranks.txt", comparison_text(runs));
  const Page page = comparison_page(compared(runs), Detail::kCharts);
  const auto section = std::ranges::find(page.sections, "What several ranks gain", &Section::title);
  REQUIRE(section != page.sections.end());
  const auto& chart = std::get<Chart>(section->blocks.at(1));
  REQUIRE(chart.series.size() == 4);
  CHECK(chart.series.front().name == "A, mlp, batch 32, strong");
  CHECK(chart.series.front().points.front().x == 2);
  CHECK(chart.series.front().points.front().y == approx(80));
}

TEST_CASE("equal files of one process a side are not told to be equal") {
  check_golden("compare_equal.txt",
               comparison_text({{"one.json", laptop_run()}, {"two.json", laptop_run()}}));
}

TEST_CASE("repetitions tell who is faster, with an interval, and colours follow") {
  check_golden("compare_repeated.txt",
               comparison_text({{"before.json", repeated_run(1.1)}, {"after.json", repeated_run(1)}}));
}

TEST_CASE("what is said of a ratio is one of four") {
  CHECK_THAT(answer(repeated_run(1.1), repeated_run(1)),
             contains_text(
                 "trains 1.10 times as fast as A (laptop, cpu (Processor 9000), a.json) (95 % interval 1.0"));
  CHECK_THAT(answer(repeated_run(1), repeated_run(1)),
             contains_text("are equally fast within 5 %: 1.00 times"));
  RunRecord noisy = repeated_run(1.2);
  for (CaseRecord& record : noisy.cases) {
    for (double& seconds : record.epoch_seconds) seconds *= record.repeat % 2 == 0 ? 2 : 1;
  }
  CHECK_THAT(answer(noisy, repeated_run(1)),
             contains_text("Undecided which is faster: B (laptop, cpu (Processor 9000), b.json) trains 0."));
  CHECK_THAT(answer(laptop_run(), desk_run()),
             contains_text("one run each, may be chance). Use --repeat 5 on both sides."));
  CHECK_THAT(answer(laptop_run(), laptop_run()),
             contains_text("may be chance). Use --repeat 5 on both sides, or 'gpubench ab'."));
}

TEST_CASE("where no case compares one reason is given, and no table of dashes") {
  RunRecord strange = laptop_run();
  for (CaseRecord& record : strange.cases) record.dataset = "cifar10";
  const std::string text = comparison_text({{"a.json", laptop_run()}, {"b.json", strange}});
  CHECK_THAT(text, contains_text("times compare: no case in common."));
  CHECK_THAT(text, !contains_text("no known reason against"));
  CHECK_THAT(text, !contains_text("How many times as fast"));
  CHECK_THAT(text, !contains_text("Comparable?"));
  Runs many(12, {"b.json", strange});
  many.insert(many.begin(), {"a.json", laptop_run()});
  CHECK_THAT(comparison_text(many), contains_text("none has a case whose times compare"));
  many.emplace_back("c.json", laptop_run());
  CHECK_THAT(comparison_text(many),
             contains_text("No case whose times compare with those of the baseline: B, "));
}

TEST_CASE("cases of different precision are refused, and shown by force") {
  const Runs runs = {{"laptop.json", laptop_run()}, {"tablet.json", half_precision_run()}};
  check_golden("compare_precision.txt", comparison_text(runs));
  check_golden("compare_precision_forced.txt", comparison_text(runs, true));
}

TEST_CASE("three files are compared with the first") {
  check_golden("compare_three.txt", comparison_text({{"laptop.json", laptop_run()},
                                                     {"desk.json", desk_run()},
                                                     {"tablet.json", half_precision_run()}}));
}

TEST_CASE("files of an older schema compare, and what they do not tell is no difference") {
  check_golden("compare_older.txt", comparison_text({{"alpha-cpu.json", fixture("alpha-cpu.json")},
                                                     {"beta-cuda.json", fixture("beta-cuda.json")}}));
}

TEST_CASE("a machine is compared with published figures, which are marked as such") {
  check_golden(
      "compare_published.txt",
      comparison_text({{"published:m1-ultra-rtx-2070-super", published_run("m1-ultra-rtx-2070-super")}}));
}

TEST_CASE("of many files each has a line") {
  Runs runs;
  for (int i = 0; i < 12; ++i) runs.emplace_back("run" + std::to_string(i) + ".json", laptop_run());
  check_golden("compare_many.txt", comparison_text(runs));
}

TEST_CASE("nothing in a comparison of hostile files reaches the terminal unescaped") {
  const std::string text = comparison_text({{"a\x1b[2J.json", hostile_run()}, {"b.json", hostile_run()}});
  CHECK(std::none_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == 0x7f; }));
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
  page.data = comparison_figures(comparison);
  check_golden("compare_figures.csv", report_formats().require("csv", "format").render(page));
}

TEST_CASE("two that have no case in common have an average over none") {
  RunRecord strange = laptop_run();
  for (CaseRecord& record : strange.cases) record.dataset = "cifar10";
  const Table table =
      comparison_figures(compared({{"laptop.json", laptop_run()}, {"strange.json", strange}}));
  const auto& row = table.rows.back();
  CHECK(row.front().text == "energy_delay_ratio");
  CHECK(row.at(17).value == 0);
  CHECK_FALSE(row.at(18).value);
}

TEST_CASE("a gate passes equal runs and stops slower ones") {
  check_golden("gate_pass.txt", gate_text(repeated_run(1), repeated_run(1.01)));
  check_golden("gate_regression.txt", gate_text(repeated_run(1), repeated_run(1.1)));
}

TEST_CASE("a gate does not decide by single processes, and names the reason with the figures") {
  RunRecord before = run_on("laptop", "cpu", {timed_case("mlp", 32, 4, 0)});
  RunRecord after = before;
  after.cases.front().epoch_seconds = std::vector<double>(8, 4.6);
  CHECK(gate_answer(before, after) == GateVerdict::kInconclusive);
  check_golden("gate_inconclusive.txt", gate_text(before, after));
}

TEST_CASE("a gate says of a row in doubt where its interval lies") {
  RunRecord noisy = repeated_run(1.04);
  for (CaseRecord& record : noisy.cases) {
    for (double& seconds : record.epoch_seconds) seconds *= record.repeat % 2 == 0 ? 1.02 : 1;
  }
  check_golden("gate_doubt.txt", gate_text(repeated_run(1), noisy));
}

TEST_CASE("a gate stops what ran and does not any more, and refuses what is missing") {
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

}  // namespace gpubench::test
