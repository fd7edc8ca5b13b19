// The report format txt.

#include <algorithm>

#include "data/golden_text.h"
#include "data/text_pages.h"
#include "gpubench/report_writer.h"
#include "support/catch.h"

namespace gpubench::test::text_test {
namespace {

std::string txt(const Page& page) { return report_formats().require("txt", "format").render(page); }

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

bool is_harmless(unsigned char c) { return c == '\n' || (c >= 0x20 && c != 0x7f); }

}  // namespace

TEST_CASE("a page matches the expected text") { check_golden("page.txt", txt(long_text_page())); }

TEST_CASE("the data of a page matches the expected files") {
  for (const char* format : {"csv", "tsv"}) {
    check_golden(std::string("page.") + format,
                 report_formats().require(format, "format").render(long_text_page()));
  }
}

TEST_CASE("untrusted text cannot control a terminal") {
  const std::string text = txt(hostile_text_page());
  CHECK(std::all_of(text.begin(), text.end(), is_harmless));
  for (const char* command : {"\xc2\x9b", "\xe2\x80\xae", "\xff", "\x1b"})
    CHECK(text.find(command) == std::string::npos);
  CHECK_THAT(text, contains_text("<script>alert(1)</script> *b*"));
}

TEST_CASE("charts are omitted, and sections with charts only") {
  const Section with_text{"Times", {Paragraph{"Steady."}, Chart{}}};
  const std::string text = txt({"", {}, {with_text, {"Epoch by epoch", {Chart{}}}}, {}});
  CHECK(text == "Times\n-----\n\nSteady.\n");
}

TEST_CASE("a chart for text is drawn with characters") {
  Chart chart{
      "Times", ChartKind::kPoints, {"run"}, {"time", "s"}, {{"", {{1, 2, 1.9, 2.1}, {2, 3}, {3, 2.5}}}}};
  chart.is_in_text = true;
  const std::string text = txt({"", {}, {{"", {chart}}}, {}});
  CHECK_THAT(text, contains_text("Times\n"));
  CHECK_THAT(text, contains_text(" 3 s ┤"));
  CHECK_THAT(text, contains_text("│"));
  std::size_t points = 0;
  for (std::size_t place = text.find("●"); place != text.npos; place = text.find("●", place + 1)) ++points;
  CHECK(points == 3);
}

TEST_CASE("bars are drawn with characters, from the baseline in both directions") {
  Chart chart{"Speed", ChartKind::kBars, {"machine"}, {"speed relative to desk", "x", true}, {}, 1.0};
  chart.x.categories = {"desk", "a machine with a name of more than thirty-two letters", "phone"};
  chart.series = {{"", {{0, 1}, {1, 4, 2, 8}, {2, 0.5}}}};
  chart.is_in_text = true;
  const std::string text = txt({"", {}, {{"", {chart}}}, {}});
  CHECK(text == R"(Speed
speed relative to desk (▒ interval):
desk                              │                   1.00x
a machine with a name of …        ██████▒▒▒▒▒▒▒▒▒▒▒   4.00x (2.00 to 8.00)
phone                        ░░░░░│                   0.500x
Hollow bar: interval unknown.
)");
}

TEST_CASE("columns that do not fit are named, and a wider page shows them") {
  Table table{
      "", {{"model"}, {"epoch", "s", true}, {"limited by", "", false, true}, {"MFU", "%", true, true}}, {}};
  table.rows = {{{"mlp"}, {"0.51"}, {"compute"}, {std::string(60, '9')}}};
  Page page{"", {}, {{"", {table}}}, {}};
  page.width = 40;
  CHECK(txt(page) ==
        "model  epoch [s]  limited by\nmlp         0.51  compute\n"
        "- Not shown: MFU; use a wider terminal\n");
  page.details_option = "--details";
  CHECK_THAT(txt(page), contains_text("use --details or a"));
  page.shows_notes = false;
  CHECK_THAT(txt(page), !contains_text("Not shown"));
  page.shows_notes = true;
  page.width = 100;
  CHECK_THAT(txt(page), contains_text("MFU [%]") && !contains_text("Not shown"));
}

TEST_CASE("a title of wide characters is truncated and underlined to its width") {
  const Page page{repeated("漢", 60), {}, {}, {}};
  CHECK(txt(page) == repeated("漢", 39) + "…\n" + std::string(79, '=') + "\n");
}

}  // namespace gpubench::test::text_test
