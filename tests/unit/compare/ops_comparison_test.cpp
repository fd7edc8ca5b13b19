// Figures of comparisons of operations. tests/data has the texts.

#include <algorithm>

#include "compare/rows.h"
#include "pages/comparison/comparison_page.h"
#include "support/catch.h"
#include "support/sample_ops.h"

namespace gpubench::test::ops_comparison_test {
namespace {

OpRecord to_row(const std::string& op, const std::string& sizes, double seconds) {
  OpRecord row;
  row.op = op;
  row.sizes = sizes;
  row.device = "cpu";
  row.status = RowStatus::kOk;
  row.call_seconds = {seconds, seconds, seconds};
  return row;
}

RunRecord make_table(std::vector<OpRecord> rows) {
  RunRecord ops;
  ops.operations = std::move(rows);
  return ops;
}

Comparison compared(const std::vector<NamedRun>& tables) {
  std::vector<Candidate> candidates;
  for (const NamedRun& table : tables) append(candidates, make_candidates(table.run, table.name));
  return compare(std::move(candidates), false);
}

Measured<Estimate> first_ratio(const Comparison& comparison) {
  const CandidatePair& versus = comparison.versus_baseline.at(0);
  return speed_ratio(versus.pairs.at(0));
}

}  // namespace

TEST_CASE("the average of an operation is the geometric mean") {
  const std::vector<NamedRun> tables = {
      {"a", make_table({to_row("sum", "10", 4), to_row("sum", "20", 100), to_row("relu", "10", 2)})},
      {"b", make_table({to_row("sum", "20", 100), to_row("sum", "10", 1), to_row("relu", "10", 4)})}};
  const Comparison comparison = compared(tables);
  const Page page = comparison_page(comparison);
  const auto section = std::ranges::find(page.sections, "By model", &Section::title);
  REQUIRE(section != page.sections.end());
  const auto& rows = std::get<Table>(section->blocks.at(0)).rows;
  REQUIRE(mapped(rows, [](const auto& row) { return row.at(1).text; }) ==
          std::vector<std::string>{"sum", "relu", "all"});
  const auto find_mean = [&](std::size_t row) { return rows[row].at(5).value.value(); };
  CHECK(find_mean(0) == approx(2));
  CHECK(find_mean(1) == approx(0.5));
  CHECK(find_mean(2) == approx(1.259921));
}

TEST_CASE("devices of a single table are compared with each other") {
  OpRecord gpu = to_row("sum", "10", 1);
  gpu.device = "cuda:0";
  const std::vector<NamedRun> tables = {{"a", make_table({to_row("sum", "10", 3), gpu})}};
  CHECK(first_ratio(compared(tables)).value().value == approx(3));
}

TEST_CASE("tables without a row in common have no ratio") {
  const std::vector<NamedRun> tables = {{"a", make_table({to_row("sum", "10", 3)})},
                                        {"b", make_table({to_row("relu", "10", 3)})}};
  const Page page = comparison_page(compared(tables));
  CHECK(std::ranges::any_of(page.summary, [](const Paragraph& paragraph) {
    return paragraph.text.find("no row in common") != std::string::npos;
  }));
}

TEST_CASE("incomparable rows are counted, and different protocols are a caution") {
  std::vector<OpRecord> many;
  for (int size = 10; size < 200; ++size) many.push_back(to_row("sum", std::to_string(size), 3));
  OpRecord wrong = to_row("sum", "11", 1);
  wrong.status = RowStatus::kIncorrect;
  std::vector<NamedRun> tables = {
      {"a", make_table(many)}, {"b", make_table({to_row("sum", "10", 1), wrong, to_row("relu", "10", 1)})}};
  for (OpRecord& row : tables[1].run.operations) row.protocol = OpProtocol::kS4;
  const Page page = comparison_page(compared(tables));
  const auto rows = std::ranges::find(page.sections, "Rows", &Section::title);
  REQUIRE(rows != page.sections.end());
  CHECK(std::get<Table>(rows->blocks.at(0)).rows.size() == 1);
  const auto cautions = std::ranges::find(page.sections, "Cautions", &Section::title);
  REQUIRE(cautions != page.sections.end());
  const auto texts =
      mapped(cautions->blocks, [](const Block& block) { return std::get<Paragraph>(block).text; });
  CHECK(texts == std::vector<std::string>{"Different timing protocol: a default, b s4 (2 rows).",
                                          "b failed in 1 of 3 rows: sum 11 (incorrect).",
                                          "188 rows only in a.", "1 row only in b."});
}

}  // namespace gpubench::test::ops_comparison_test
