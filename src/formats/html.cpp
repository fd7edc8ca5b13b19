// One file to read in a browser: it loads nothing, and nothing in it but page.js may run.

#include <iterator>

#include <fmt/format.h>

#include "formats/chart/chart_svg.h"
#include "formats/entries.h"
#include "formats/parts/html_table.h"
#include "formats/parts/markup.h"
#include "formats/parts/page_texts.h"

namespace gpubench {
namespace {

// Text in a chart cannot flow, so each is drawn for a desk and for a telephone; page.css shows one of them.
constexpr double kWide = 800;
constexpr double kNarrow = 360;
// Some browsers refuse longer addresses.
constexpr std::size_t kLargestDownload = 1'000'000;

std::string head(const Page& page) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}' "
      "'sha256-{}'; "
      "script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>{}</style>\n<style>{}</style>\n</head>\n",
      chart_css_sha256(), page_css_sha256(), page_js_sha256(), escaped(page.title), chart_css(), page_css());
}

std::string paragraph(const Paragraph& paragraph) {
  const std::string word = tone_word(paragraph.tone);
  const std::string badge =
      word.empty() ? "" : fmt::format("<span class=\"badge\">{} {}</span>", tone_sign(paragraph.tone), word);
  const std::string look =
      paragraph.tone == Tone::kPlain ? "" : fmt::format(" class=\"{}\"", tone_class(paragraph.tone));
  return fmt::format("<p{}>{}{}</p>\n", look, badge, escaped(paragraph.text));
}

std::string notes_of(const Chart& chart) {
  if (chart.notes.empty()) return "";
  std::string items;
  for (const std::string& note : chart.notes) items += "<li>" + escaped(note) + "</li>\n";
  return "<ul class=\"notes\">\n" + items + "</ul>\n";
}

std::string drawn(const Chart& chart, const std::string& id, const char* size, double width) {
  const std::string own_id = id + "-" + size;
  return svg_element(draw_chart(chart, own_id, width), own_id, fmt::format(" class=\"chart {}\"", size));
}

std::string figure(const Chart& chart, const std::string& id) {
  return fmt::format("<figure id=\"{}\">\n<figcaption>{}</figcaption>\n{}{}{}</figure>\n", id,
                     escaped(chart.title), drawn(chart, id, "wide", kWide),
                     drawn(chart, id, "narrow", kNarrow), notes_of(chart));
}

std::string block(const Block& block, const std::string& id) {
  if (const auto* text = std::get_if<Paragraph>(&block)) return paragraph(*text);
  if (const auto* table = std::get_if<Table>(&block)) return html_table(*table, id);
  return figure(std::get<Chart>(block), id);
}

std::string section(const Section& section, std::size_t number) {
  std::string blocks;
  for (std::size_t i = 0; i < section.blocks.size(); ++i) {
    blocks += block(section.blocks[i], fmt::format("s{}-{}", number, i + 1));
  }
  return fmt::format("<section aria-labelledby=\"s{0}\">\n<h2 id=\"s{0}\">{1}</h2>\n{2}</section>\n", number,
                     escaped(section.title), blocks);
}

std::string contents(const Page& page) {
  if (page.sections.size() < 3) return "";
  std::string items;
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    items += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", i + 1, escaped(page.sections[i].title));
  }
  return "<nav aria-label=\"Sections\">\n<ul>\n" + items + "</ul>\n</nav>\n";
}

std::string header(const Page& page) {
  std::string summary;
  for (const Paragraph& text : page.summary) summary += paragraph(text);
  if (!summary.empty()) summary = "<div class=\"summary\">\n" + summary + "</div>\n";
  return fmt::format("<header>\n<h1>{}</h1>\n{}{}</header>\n", escaped(page.title), summary, contents(page));
}

std::string percent_encoded(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
    if (is_plain)
      encoded += c;
    else
      fmt::format_to(std::back_inserter(encoded), "%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::string download(const Page& page) {
  if (page.data.rows.empty()) return "";
  const std::string values = percent_encoded(entry_csv().render(page));
  if (values.size() > kLargestDownload) return "";
  return fmt::format(
      "<p class=\"download\"><a download=\"gpubench.csv\" href=\"data:text/csv;charset=utf-8,{}\">"
      "All values as CSV</a></p>\n",
      values);
}

std::string render(const Page& page) {
  std::string sections;
  for (std::size_t i = 0; i < page.sections.size(); ++i) sections += section(page.sections[i], i + 1);
  return fmt::format("{}<body>\n{}<main>\n{}{}</main>\n<script>{}</script>\n</body>\n</html>\n", head(page),
                     header(page), sections, download(page), page_js());
}

}  // namespace

ReportFormat entry_html() { return {"html", "a page for a browser, all in one file", render, true}; }

}  // namespace gpubench
