// JSON for other programs. Charts are omitted: their figures are in the data.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/page.h"
#include "gpubench/report_writer.h"

namespace gpubench::json_plugin {
namespace {

using Json = nlohmann::ordered_json;

Json text_json(const std::string& text) { return plain_text(text); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : text_json(text); }

/// Returns whole numbers without a decimal point. Numbers that are not finite become null in the document.
Json number_json(const std::optional<double>& number) {
  constexpr double kMostExact = 1LL << 53;
  if (!number) return {};
  const bool is_whole = std::abs(*number) < kMostExact && std::trunc(*number) == *number;
  return is_whole ? Json(static_cast<std::int64_t>(*number)) : Json(*number);
}

template <class Items, class Function>
Json json_list(const Items& items, Function to_json) {
  Json list = Json::array();
  std::ranges::transform(items, std::back_inserter(list), to_json);
  return list;
}

const char* tone_name(Tone tone) {
  constexpr const char* kNames[] = {"plain", "good", "warning", "bad", "muted"};
  return kNames[static_cast<std::size_t>(tone)];
}

Json paragraph_json(const Paragraph& paragraph) {
  return {{"text", text_json(paragraph.text)}, {"tone", tone_name(paragraph.tone)}};
}

Json column_json(const Column& column) {
  return {{"heading", text_json(column.heading)}, {"unit", text_or_null(column.unit)}};
}

Json cell_json(const Cell& cell) {
  return {
      {"text", text_json(cell.text)}, {"value", number_json(cell.value)}, {"note", text_or_null(cell.note)}};
}

Json table_json(const Table& table) {
  return {
      {"title", text_or_null(table.title)},
      {"columns", json_list(table.columns, column_json)},
      {"rows", json_list(table.rows, [](const std::vector<Cell>& row) { return json_list(row, cell_json); })},
      {"notes", json_list(table.notes, text_json)}};
}

Json section_json(const Section& section) {
  Json tables = Json::array();
  Json paragraphs = Json::array();
  for (const Block& block : section.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) tables.push_back(table_json(*table));
    if (const auto* text = std::get_if<Paragraph>(&block)) paragraphs.push_back(paragraph_json(*text));
  }
  return {{"title", text_or_null(section.title)}, {"tables", tables}, {"paragraphs", paragraphs}};
}

Json data_cell_json(const Cell& cell, const Column& column) {
  if (cell.value) return number_json(cell.value);
  if (cell.text == "-") return {};
  // A double could not hold a large whole number.
  const std::optional<std::int64_t> whole = column.is_number ? parse_whole(cell.text) : std::nullopt;
  return whole ? Json(*whole) : text_or_null(cell.text);
}

/// Returns a list with an object per row. Keys are the headings.
Json data_json(const Table& data) {
  return json_list(data.rows, [&](const std::vector<Cell>& row) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i)
      object[plain_text(data.columns[i].heading)] = data_cell_json(row[i], data.columns[i]);
    return object;
  });
}

std::string render(const Page& page) {
  const Json document{{"title", text_or_null(page.title)},
                      {"answer", text_or_null(page.answer)},
                      {"summary", json_list(page.summary, paragraph_json)},
                      {"sections", json_list(page.sections, section_json)},
                      {"data", data_json(page.data)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

ReportFormat entry_json() { return {"json", "the whole page as JSON", render, true}; }

}  // namespace gpubench::json_plugin
