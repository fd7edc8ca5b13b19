// The report format txt.

#include <algorithm>

#include "golden/golden_text.h"
#include "golden/text_pages.h"
#include "gpubench/report_writer.h"
#include "support/catch.h"

namespace gpubench::test {
namespace {

std::string txt(const Page& page) { return report_formats().require("txt", "format").render(page); }

Page page_of(const Chart& chart) { return {"", {}, {{"", {chart}}}, {}}; }

Chart bars_of(const std::vector<double>& values) {
  Chart chart{"", ChartKind::kBars, {""}, {"y"}, {{"", {}}}};
  for (const double value : values) {
    chart.series.front().points.push_back({static_cast<double>(chart.x.categories.size()), value});
    chart.x.categories.push_back("c");
  }
  return chart;
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

bool is_harmless(unsigned char c) { return c == '\n' || (c >= 0x20 && c != 0x7f); }

}  // namespace

TEST_CASE("a page is written as text as agreed") { check_golden("page.txt", txt(long_text_page())); }

TEST_CASE("the values of a page are written as agreed") {
  for (const char* format : {"csv", "tsv"}) {
    check_golden(std::string("page.") + format,
                 report_formats().require(format, "format").render(long_text_page()));
  }
}

TEST_CASE("text from files cannot command a terminal") {
  const std::string text = txt(hostile_text_page());
  CHECK(std::all_of(text.begin(), text.end(), is_harmless));
  for (const char* command : {"\xc2\x9b", "\xe2\x80\xae", "\xff", "\x1b"})
    CHECK(text.find(command) == std::string::npos);
  CHECK_THAT(text, contains_text("<script>alert(1)</script> *b*"));
}

TEST_CASE("bars are as long as their values, and begin at zero") {
  const std::string text = txt(page_of(bars_of({4, 2, 1})));
  CHECK_THAT(text, contains_text("████████████████████████████████████████ 4.00\n"));
  CHECK_THAT(text, contains_text("  ████████████████████ 2.00\n"));
  CHECK_THAT(text, contains_text("  ██████████ 1.00\n"));
}

TEST_CASE("bars below the baseline go to its left") {
  Chart chart = bars_of({2, 0.5, 1});
  chart.y.is_logarithmic = true;
  chart.baseline = 1;
  const std::string text = txt(page_of(chart));
  CHECK_THAT(text, contains_text("                    │████████████████████ 2.00\n"));
  CHECK_THAT(text, contains_text("████████████████████│ 0.500\n"));
  CHECK_THAT(text, contains_text("                    │ 1.00\n"));
}

TEST_CASE("values that have no place on a scale have no bar") {
  Chart chart = bars_of({0, -1, 1.0 / 0.0, 0.0 / 0.0, 10});
  CHECK_THAT(txt(page_of(chart)), contains_text("c  "));
  chart.y.is_logarithmic = true;
  CHECK_THAT(txt(page_of(chart)), contains_text("-1.00"));
  CHECK_FALSE(txt(page_of(bars_of({}))).empty());
}

TEST_CASE("a title of wide characters ends before the line does, and is underlined as far") {
  const Page page{repeated("漢", 60), {}, {}, {}};
  CHECK(txt(page) == repeated("漢", 49) + "…\n" + std::string(99, '=') + "\n");
}

TEST_CASE("an empty page is its title") { CHECK(txt({"name", {}, {}, {}}) == "name\n====\n"); }

}  // namespace gpubench::test
