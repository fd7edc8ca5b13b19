// The report format md.

#include "data/golden_text.h"
#include "data/text_pages.h"
#include "gpubench/report_writer.h"
#include "support/catch.h"

namespace gpubench::test::markdown_test {
namespace {

std::string md(const Page& page) { return report_formats().require("md", "format").render(page); }

}  // namespace

TEST_CASE("a page matches the expected Markdown") { check_golden("page.md", md(long_text_page())); }

TEST_CASE("untrusted text becomes neither Markdown nor HTML") {
  const std::string text = md(hostile_text_page());
  check_parts(text, {"# a\\|b \\<script\\>alert(1)\\</script\\> \\*b\\* \\_i\\_ \\`code\\` "
                     "\\[x\\](http:\\//evil) \\\\ \\&lt; \\#1 "
                     "\\# www\\.evil  ?\\[31m??2J ?txt ?\?( ??\n",
                     "\n\\- a", "\n> \\`\\`\\` a"});
  const std::string outside = text.substr(0, text.find("```"));
  CHECK(outside.find(" <script") == std::string::npos);
  CHECK(outside.find("(http://") == std::string::npos);
}

TEST_CASE("untrusted text does not start a list") {
  for (const auto& [text, safe] :
       {std::pair("- a", "\\- a"), std::pair("+ a", "\\+ a"), std::pair("12. a", "12\\. a"),
        std::pair("1) a", "1\\) a"), std::pair("   === a", "\\=== a")}) {
    CHECK_THAT(md({"t", {{text}}, {}, {}}), contains_text("\n" + std::string(safe)));
  }
}

TEST_CASE("bars are a code block, which their names cannot end") {
  const std::string fence = "```";
  Chart chart{"Speed", ChartKind::kBars, {}, {fence + "\x1b"}, {{fence, {{0, 2}}}, {"B", {{0, 4}}}}};
  chart.x.categories = {fence};
  chart.is_in_text = true;
  const std::string text = md({"", {}, {{"", {chart}}}, {}});
  CHECK_THAT(text, contains_text("```text\n```?:\n```:\n```   ░"));
  CHECK_THAT(text, contains_text("B     ░"));
  CHECK(text.find("\n```\n") == text.size() - 5);
}

}  // namespace gpubench::test::markdown_test
