// All charts of a page in one image, one below the other.

#include <fmt/format.h>

#include "formats/chart/chart.h"
#include "formats/parts/page_text.h"
#include "gpubench/report_writer.h"

namespace gpubench::svg_plugin {
namespace {

constexpr double kEdge = 24;
constexpr double kBetweenCharts = 28;

struct Sheet {
  std::string content;
  double bottom = kEdge;

  /// Writes wrapped text, `size` times as large as text in charts.
  void write(const std::string& text, const std::string& look, double size) {
    const auto columns = static_cast<std::size_t>(kWideChart / (kCharacterWidth * size));
    for (const std::string& line : wrapped(text, columns)) {
      bottom += kFontSize * size * 1.35;
      content += text_at(kEdge, bottom, look, clipped(line, columns));
    }
  }

  void draw(const Chart& chart, const std::string& id) {
    bottom += kBetweenCharts;
    write(chart.title, "heading", 1.25);
    bottom += 14;
    const std::string place = fmt::format(" x=\"{}\" y=\"{}\"", px(kEdge), px(bottom));
    const Drawing drawing = draw_chart(chart, kWideChart, id, place);
    content += drawing.content;
    bottom += drawing.height;
    for (const std::string& note : chart.notes) write(note, "dim", 1);
  }
};

std::string render(const Page& page) {
  Sheet sheet;
  sheet.write(page.title, "title", 1.7);
  std::size_t charts = 0;
  for (const Section& section : truncate_for_display(page.sections)) {
    for (const Block& block : section.blocks) {
      const auto* chart = std::get_if<Chart>(&block);
      if (chart != nullptr) sheet.draw(*chart, fmt::format("c{}", ++charts));
    }
  }
  if (charts == 0) sheet.write("This page has no chart.", "dim", 1);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "class=\"chart\" font-family=\"sans-serif\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      px(kWideChart + 2 * kEdge), px(sheet.bottom + kEdge), escaped(page.title), chart_css(), sheet.content);
}

}  // namespace

ReportFormat entry_svg() { return {"svg", "all charts in one image", render}; }

}  // namespace gpubench::svg_plugin
