#include <regex>

#include "data/golden_text.h"
#include "gpubench/report_writer.h"
#include "support/catch.h"
#include "support/sample_pages.h"

namespace gpubench::test::svg_test {
namespace {

std::string to_svg(const Page& page) { return report_formats().find("svg")->render(page); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("charts match the expected SVG") { check_golden("page.svg", to_svg(sample_page())); }

TEST_CASE("ticks are round: powers of two for batch sizes, prefixed units for times") {
  Chart chart = make_line_chart({{"", {{16, 0.021}, {64, 0.012}, {128, 0.011}}}});
  chart.x = {"batch", "samples", true};
  chart.y = {"epoch", "s"};
  const std::string svg = to_svg({"", {}, {{"", {chart}}}, {}});
  for (const char* part : {">16<", ">32<", ">64<", ">128<", ">5 ms<", ">20 ms<"}) CHECK(has(svg, part));
}

TEST_CASE("a time axis has round dates") {
  constexpr double kNewYear2026 = 1767225600;
  constexpr double kDay = 86400;
  const auto draw = [&](double days) {
    Chart chart = make_line_chart({{"", {{kNewYear2026, 1}, {kNewYear2026 + days * kDay, 2}}}});
    chart.x = {.label = "start", .is_time = true};
    return to_svg({"", {}, {{"", {chart}}}, {}});
  };
  for (const char* part : {">01-01 00:00<", ">01-01 06:00<", "2026-01-02 00:00 UTC"})
    CHECK(has(draw(1), part));
  for (const char* part : {">2026-01-05<", ">2026-01-12<"}) CHECK(has(draw(30), part));  // Mondays.
  for (const char* part : {">2026-01<", ">2026-03<"}) CHECK(has(draw(300), part));
  for (const char* part : {">2026<", ">2028<"}) CHECK(has(draw(3000), part));
  CHECK(has(draw(0), ">01-01 "));
}

TEST_CASE("hostile text in a chart is escaped") {
  const std::string svg = to_svg(hostile_page());
  for (const char* part : {"<script", "\" onmouseover", "\x1b", "\xff"}) CHECK_FALSE(has(svg, part));
  CHECK(has(svg, "&lt;/script&gt;&lt;script&gt;alert(1)"));
}

TEST_CASE("extreme charts show what they can") {
  const std::string svg = to_svg(awkward_page());
  for (const char* part : {"<title id=\"c1-title\">A single point</title>", "no values", "machine number 11"})
    CHECK(has(svg, part));
}

TEST_CASE("a page without charts gives an image with a message") {
  CHECK_THAT(to_svg({}), contains_text("This page has no chart."));
}

TEST_CASE("coordinates are finite for all values") {
  const std::string svg = to_svg(awkward_page());
  const std::string drawn = svg.substr(svg.find("</style>"));
  for (const char* start : {"\"", " ", "M", "H", "V", "-"}) {
    CHECK_FALSE(has(drawn, start + std::string("inf")));
    CHECK_FALSE(has(drawn, start + std::string("nan")));
  }
}

TEST_CASE("bars start at the baseline in both directions") {
  Chart chart = make_bar_chart({"slower", "faster"}, {{"", {{0, 0.5}, {1, 2}}}});
  chart.y.is_logarithmic = true;
  chart.baseline = 1.0;
  const std::string svg = to_svg({"", {}, {{"", {chart}}}, {}});
  std::smatch first;
  std::smatch second;
  const std::regex bar("x=\"([0-9.]+)\" y=\"[0-9.]+\" width=\"([0-9.]+)\" height=\"[0-9.]+\" class=\"bar");
  REQUIRE(std::regex_search(svg, first, bar));
  const std::string rest = first.suffix();
  REQUIRE(std::regex_search(rest, second, bar));
  CHECK(has(svg, ">0.500<"));
  const double end_of_first = std::stod(first[1]) + std::stod(first[2]);
  CHECK(std::abs(end_of_first - std::stod(second[1])) < 0.2);
  CHECK(std::abs(std::stod(first[2]) - std::stod(second[2])) < 0.2);
}

TEST_CASE("a bar without an interval is hollow, except at the baseline") {
  Chart chart = make_bar_chart({"base", "measured", "published"}, {{"", {{0, 1}, {1, 2, 1.9, 2.2}, {2, 3}}}});
  chart.y = {"ratio", "x"};
  chart.baseline = 1.0;
  const auto count_hollow = [&] {
    const std::string svg = to_svg({"", {}, {{"", {chart}}}, {}});
    CHECK(has(svg, ">2.00x (1.90 to 2.20)<"));
    CHECK(has(svg, "Hollow bar: interval unknown.") == has(svg, "\"bar open\""));
    const std::regex open("\"bar open\"");
    return std::distance(std::sregex_iterator(svg.begin(), svg.end(), open), std::sregex_iterator());
  };
  CHECK(count_hollow() == 1);
  chart.series[0].points.pop_back();
  CHECK(count_hollow() == 0);
}

TEST_CASE("bars of several series have their names beside them, a long name has a tooltip") {
  const std::string name(200, 'n');
  const std::string svg = to_svg(
      {"", {}, {{"", {make_bar_chart({"cnn", "mlp"}, {{"A", {{0, 1}, {1, 2}}}, {name, {{1, 3}}}})}}}, {}});
  for (const char* part : {"class=\"group\">cnn<", "class=\"group\">mlp<", ">A<"}) CHECK(has(svg, part));
  CHECK(has(svg, "…<title>" + name + "</title></text>"));
}

TEST_CASE("a chart has an accessible name and description") {
  const std::string svg = to_svg(sample_page());
  CHECK_THAT(svg, contains_text("role=\"img\" aria-labelledby=\"c1-title c1-desc\""));
  CHECK_THAT(svg, contains_text("<title id=\"c1-title\">Speed of 4 machines</title>"));
  CHECK_THAT(svg, contains_text("<desc id=\"c1-desc\">Bars: "));
}

}  // namespace gpubench::test::svg_test
