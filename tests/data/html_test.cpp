#include <cstdlib>
#include <fstream>

#include <openssl/evp.h>

#include "data/golden_text.h"
#include "formats/parts/page_text.h"
#include "gpubench/report_writer.h"
#include "support/catch.h"
#include "support/sample_pages.h"

namespace gpubench::test::html_test {
namespace {

std::string to_html(const Page& page) { return report_formats().find("html")->render(page); }

std::string base64_sha256(std::string_view text) {
  unsigned char digest[32];
  EVP_Digest(text.data(), text.size(), digest, nullptr, EVP_sha256(), nullptr);
  unsigned char encoded[45];
  EVP_EncodeBlock(encoded, digest, sizeof digest);
  return reinterpret_cast<const char*>(encoded);
}

/// Returns the text between the first `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t start = text.find(begin) + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

/// Removes the text between each `begin` and the next `end`.
std::string without(std::string html, const std::string& begin, const std::string& end) {
  for (std::size_t at = html.find(begin); at != std::string::npos; at = html.find(begin, at)) {
    at += begin.size();
    html.erase(at, html.find(end, at) - at);
  }
  return html;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++found;
  return found;
}

Page make_page(const Block& block) { return {"", {}, {{"", {block}}}, {}}; }

}  // namespace

TEST_CASE("a page matches the expected HTML") {
  std::string html = to_html(sample_page());
  html = without(std::move(html), "<style>", "</style>");
  html = without(std::move(html), "<script>", "</script>");
  html = without(std::move(html), "<svg ", "</svg>");  // page.svg has the charts.
  html = without(std::move(html), "Content-Security-Policy\" content=\"", "\"");
  check_golden("page.html", html);
}

// For tests/browser/page_test.sh.
TEST_CASE("pages are written to the folder $GPUBENCH_PAGES", "[.pages]") {
  const char* folder = std::getenv("GPUBENCH_PAGES");
  REQUIRE(folder != nullptr);
  const auto write = [&](const std::string& name, const Page& page) {
    const std::string format = name.substr(name.find('.') + 1);
    std::ofstream(std::string(folder) + "/" + name) << report_formats().find(format)->render(page);
  };
  write("page.html", sample_page());
  write("hostile.html", hostile_page());
  write("awkward.html", awkward_page());
  write("page.svg", sample_page());
  write("hostile.svg", hostile_page());
  write("awkward.svg", awkward_page());
}

TEST_CASE("the policy of a page allows only its own script and styles") {
  const std::string html = to_html(sample_page());
  const std::string policy = between(html, "Content-Security-Policy\" content=\"", "\"");
  CHECK_THAT(policy, contains_text("default-src 'none'"));
  CHECK_THAT(policy, contains_text("script-src 'sha256-" +
                                   base64_sha256(between(html, "<script>", "</script>")) + "'"));
  CHECK_THAT(policy, contains_text("'sha256-" + base64_sha256(between(html, "<style>", "</style>")) + "'"));
  CHECK(page_css_sha256() == base64_sha256(page_css()));
  CHECK(policy.find("unsafe") == std::string::npos);
}

TEST_CASE("hostile text is escaped") {
  const std::string html = to_html(hostile_page());
  CHECK(count(html, "<script>") == 1);
  CHECK(count(html, "</script>") == 1);
  CHECK(count(html, "alert(1)</script>") == 0);
  CHECK(count(html, "\" onmouseover") == 0);
  CHECK(count(html, "\x1b") == 0);
  CHECK(count(html, "\xff") == 0);
}

TEST_CASE("a page has no external references") {
  const std::string html = to_html(sample_page());
  CHECK(count(html, "://") == count(html, "xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(count(html, "@import") == 0);
}

TEST_CASE("equal notes of cells share a number") {
  const Cell absent{"-", {}, "out of memory"};
  const std::string html =
      to_html(make_page(Table{"t", {{"a"}, {"b"}}, {{absent, {"1", {}, "other"}}, {absent, {"2"}}}}));
  CHECK(count(html, "href=\"#s1-1-note-1\"") == 2);
  CHECK(count(html, "<li id=\"s1-1-note-1\">out of memory</li>") == 1);
  CHECK(count(html, "<li id=\"s1-1-note-2\">other</li>") == 1);
  CHECK(count(html, "title=\"out of memory\"") == 2);
}

TEST_CASE("cells have a sort value unless the figure is missing") {
  const std::string html =
      to_html(make_page(Table{"t", {{"time", "s", true}}, {{{"1.23", 1.2345678}}, {{"oom"}}}}));
  CHECK_THAT(html, contains_text("<td class=\"number\" data-value=\"1.2345678\">1.23</td>"));
  CHECK_THAT(html, contains_text("<td class=\"number\">oom</td>"));
  CHECK_THAT(html, contains_text("time <span class=\"unit\">[s]</span>"));
}

TEST_CASE("a tone has a word, not only a color") {
  Page page;
  page.summary = {{"Faster.", Tone::kGood}, {"Slower.", Tone::kBad}};
  const std::string html = to_html(page);
  CHECK_THAT(html, contains_text("✓ certain</span>Faster."));
  CHECK_THAT(html, contains_text("✗ bad</span>Slower."));
}

TEST_CASE("a caution among the notes of a table looks like a caution of a comparison") {
  const std::string html =
      to_html(make_page(Table{"t", {{"a"}}, {{{"1"}}}, {"Caution: the CPU was busy.", "a: a column"}}));
  CHECK_THAT(html, contains_text(
                       "<p class=\"warning\"><span class=\"badge\">! caution</span>The CPU was busy.</p>"));
  CHECK_THAT(html, contains_text("<li>a: a column</li>"));
}

TEST_CASE("an untitled section follows the summary, before the links to the others") {
  const Section chart{"", {make_bar_chart({"a"}, {{"", {{0, 2}}}})}};
  const std::string html =
      to_html({"title", {{"Faster."}}, {chart, {"One", {Paragraph{"1"}}}, {"Two", {Paragraph{"2"}}}}, {}});
  CHECK(count(html, "<h2") == 2);
  CHECK(count(html, "href=\"#s1\"") == 0);
  CHECK(html.find("<figure>") < html.find("<nav "));
  CHECK(html.find("<nav ") < html.find("<h2"));
}

}  // namespace gpubench::test::html_test
