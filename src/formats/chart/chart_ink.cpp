#include "formats/chart/chart_ink.h"

#include <array>

#include <fmt/format.h>

#include "formats/parts/markup.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

constexpr std::size_t kColours = 8;

/// In parts of the font size.
double character_width(char32_t code) {
  // What is no printable character is shown as U+FFFD.
  if (code >= 0x1100 || code < 0x20) return 1.05;
  if (code >= 0x80) return 0.65;
  const std::string_view narrow = "iljtfrI.,:;'|!()[]{} /";
  const std::string_view wide = "mwMW@%<>=+~#&";
  if (narrow.find(static_cast<char>(code)) != std::string_view::npos) return 0.36;
  if (wide.find(static_cast<char>(code)) != std::string_view::npos) return 0.95;
  return code >= 'A' && code <= 'Z' ? 0.72 : 0.6;
}

// Solid, pale and hatched, so that neighbours differ without colour too.
constexpr std::size_t kFills = 3;
constexpr std::size_t kHatched = 2;
constexpr std::size_t kDashes = 4;

constexpr double kRow = 20;
constexpr double kSwatch = 30;
constexpr double kBetween = 18;

std::string swatch(const Chart& chart, std::size_t series, const std::string& id, double x, double y) {
  const std::string line =
      chart.kind == ChartKind::kLines ? line_between(x, y, x + 24, y, dash_class(series)) : "";
  const std::string shape = chart.kind == ChartKind::kBars
                                ? fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" {}/>",
                                              px(x), px(y - 5.5), bar_fill(series, id))
                                : marker(series, x + 12, y);
  return fmt::format("<g class=\"{}\">\n{}{}\n</g>\n", series_class(series), line, shape);
}

}  // namespace

std::string px(double length) {
  std::string text = fmt::format("{:.1f}", length);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string text_at(double x, double y, std::string_view classes, std::string_view text) {
  const std::string looks = classes.empty() ? "" : fmt::format(" class=\"{}\"", classes);
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", px(x), px(y), looks, escaped(text));
}

std::string line_between(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(x1), px(y1), px(x2),
                     px(y2), classes);
}

double text_width(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    width += character_width(code) * kFontSize;
    text.remove_prefix(length);
  }
  return width;
}

std::string shortened(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  double used = kFontSize;  // Of the ellipsis.
  std::size_t end = 0;
  while (end < text.size()) {
    const auto [code, length] = first_character(text.substr(end));
    used += character_width(code) * kFontSize;
    if (used > width) break;
    end += length;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string series_class(std::size_t series) { return fmt::format("series-{}", series % kColours); }

std::string marker(std::size_t series, double x, double y) {
  constexpr std::array kShapes = {
      "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
      "m-3.5-3.5h7v7h-7z",
      "m0-4.8l4.5 8h-9z",
      "m0-5l5 5l-5 5l-5-5z",
      "m0 4.8l4.5-8h-9z",
      "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  };
  return fmt::format("<path class=\"solid\" d=\"M{} {}{}\"/>", px(x), px(y),
                     kShapes.at(series % kShapes.size()));
}

std::string bar_fill(std::size_t series, const std::string& id) {
  if (series % kFills == kHatched) return fmt::format("class=\"bar\" fill=\"url(#{}-hatch-{})\"", id, series);
  return series % kFills == 0 ? "class=\"bar solid\"" : "class=\"bar pale\"";
}

std::string bar_hatching(const Chart& chart, const std::string& id) {
  std::string patterns;
  for (std::size_t i = kHatched; i < chart.series.size(); i += kFills) {
    patterns += fmt::format(
        "<pattern id=\"{}-hatch-{}\" class=\"{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><line x1=\"1\" y1=\"0\" x2=\"1\" y2=\"5\" "
        "class=\"hatch\"/></pattern>\n",
        id, i, series_class(i));
  }
  return patterns.empty() ? "" : "<defs>\n" + patterns + "</defs>\n";
}

std::string dash_class(std::size_t series) { return fmt::format("line dash-{}", series % kDashes); }

Drawing legend(const Chart& chart, const std::string& id, double width) {
  if (chart.series.empty() || (chart.series.size() == 1 && chart.series.front().name.empty())) return {};
  Drawing names;
  double x = 0;
  double y = kRow / 2;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = shortened(chart.series[i].name, width - kSwatch);
    const double needed = kSwatch + text_width(name);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kRow;
    }
    names.content += swatch(chart, i, id, x, y) + text_at(x + kSwatch, y + kFontSize * 0.35, "", name);
    x += needed + kBetween;
  }
  names.height = y + kRow / 2 + 8;
  return names;
}

}  // namespace gpubench
