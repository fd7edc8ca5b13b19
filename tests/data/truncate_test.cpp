#include "formats/parts/page_text.h"

#include "support/catch.h"

namespace gpubench::test::truncate_test {
namespace {

std::vector<Section> find_section(Block block) {
  return truncate_for_display({{"Section", {std::move(block)}}});
}

Chart make_line(std::size_t points) {
  Chart chart;
  chart.series = {{"line", {}}};
  for (std::size_t i = 0; i < points; ++i) chart.series.front().points.push_back({static_cast<double>(i), 1});
  return chart;
}

}  // namespace

TEST_CASE("a long table is truncated and reports its number of rows") {
  const Table table{"", {{"a"}}, std::vector<std::vector<Cell>>(100'000, {{"x"}})};
  const auto shortened = find_section(table);
  const auto& rest = std::get<Table>(shortened[0].blocks[0]);
  CHECK(rest.rows.size() == kMostTableRows);
  CHECK(rest.notes == std::vector<std::string>{"Only the first 1,000 of 100,000 rows are shown."});
}

TEST_CASE("a long line keeps its shape and last point") {
  for (const std::size_t count : {std::size_t{2001}, std::size_t{99'999}, std::size_t{1'000'000}}) {
    const auto thinned = find_section(make_line(count));
    const auto& chart = std::get<Chart>(thinned[0].blocks[0]);
    const auto& points = chart.series[0].points;
    CHECK(points.size() <= kMostChartPoints);
    CHECK(points.size() >= kMostChartPoints / 2);
    CHECK(points.back().x == static_cast<double>(count - 1));
    CHECK(chart.notes.size() == 1);
  }
}

}  // namespace gpubench::test::truncate_test
