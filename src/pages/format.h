#pragma once
// Building blocks of pages: texts, cells, points and sections.

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/comparison.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Returns the first line of a message without control characters: messages come from drivers and libraries.
/// The result file keeps the whole.
std::string one_line(const std::string& message);

/// "12.0 to 12.6"; empty without an interval.
std::string interval_text(const Measured<Estimate>& estimate);

/// "1 case", "12 cases".
std::string counted(std::size_t count, const std::string& noun);

/// "a; b; c", and the number of further parts if they are many.
std::string counted(std::vector<std::string> parts);

/// How ratios of a versus get an interval that they lack: " Use --repeat 5 ..."; empty where nothing helps.
std::string remedy_for(const BaselineComparison& versus);

/// Where turns were possible and not taken: " 'gpubench ab' detects smaller differences."; else empty.
std::string make_hint(const BaselineComparison& versus);

/// That the figures were published and not measured by gpubench, how they came about, and what the record
/// says to mind. Empty for a measured run.
std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication);

/// Returns a warning, formatted as fmt::format does.
template <class... Arguments>
Paragraph caution(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {fmt::format(text, std::forward<Arguments>(arguments)...), Tone::kWarning};
}

// Beginnings of pages of runs and of tables of operations; `noun` is "case" or "row".

/// "On cpu (Processor 9000) of desk, suite quick, started 2024-02-03T04:05:06Z. All 3 cases ended well."
Paragraph describe_run(const std::vector<std::string>& devices, const std::vector<RowStatus>& rows,
                       const std::string& noun, const std::string& suite, const ToolRecord& tool,
                       const Environment& environment);

/// "Not ok: oom: cnn, batch 128. error: lstm.": the names of failed rows by status; nothing if all are ok.
std::vector<Paragraph> describe_failures(const std::vector<std::pair<RowStatus, std::string>>& rows);

/// Good for ok, a warning for what was not run, bad for the rest.
Tone find_tone(RowStatus status);

// Cells for people: the figure, whose unit is the column's, or "-" with the reason as a note.
Cell no_figure(const std::string& why);
Cell number_cell(double number);
Cell number_cell(const Measured<double>& number);
/// "2.10 ms".
Cell duration_cell(const Measured<double>& seconds);
/// "7.3 %".
Cell percent_cell(const Measured<double>& part);
/// Good or bad where that is beyond doubt.
Cell ratio_cell(const Measured<Estimate>& ratio);
/// The verdict on a speed ratio: "faster", "slower", "equal within 5 %", "undecided", "unknown".
Cell outcome_cell(const Measured<Estimate>& ratio, double margin);

// Cells for other programs: empty without a figure.
Cell value_cell(const Measured<double>& value);
/// An estimate and the ends of its interval.
std::array<Cell, 3> estimate_cells(const Measured<Estimate>& estimate);

/// A cell of a text, a count or a figure.
template <class Value>
Cell to_cell(Value value) {
  if constexpr (std::is_same_v<Value, Cell>) {
    return value;
  } else if constexpr (std::is_convertible_v<Value, std::string>) {
    return {std::move(value)};
  } else if constexpr (std::is_integral_v<Value>) {
    return {std::to_string(value), static_cast<double>(value)};
  } else {
    return number_cell(value);
  }
}

// Points and lines of charts.
Point make_point(double x, const Estimate& estimate);
/// `amount` by the time: a long one is a low rate, and the ends of the interval change places.
Estimate compute_rate(double amount, const Estimate& seconds);
/// Adds a point to the series of that name, which is new if there is none yet.
void add_point(std::vector<Series>& all, const std::string& name, Point point);
/// A bar of a series in a category; both are new if there is none yet.
void add_bar(Chart& chart, const std::string& series, const std::string& category, const Estimate& estimate);
/// From left to right.
void sort_points(std::vector<Series>& all);

// Sections.
inline bool has_content(const Block&) { return true; }
inline bool has_content(const Table& table) { return !table.rows.empty(); }
inline bool has_content(const Chart& chart) { return !chart.series.empty(); }

/// Puts a block, or those of a list, behind `blocks`, but no table without rows or chart without series.
template <class Part>
void add_content(std::vector<Block>& blocks, Part part) {
  if constexpr (std::ranges::range<Part>) {
    for (auto& one : part) add_content(blocks, std::move(one));
  } else if (has_content(part)) {
    blocks.emplace_back(std::move(part));
  }
}

/// Adds a section of such parts where that leaves any.
template <class... Parts>
void add_section(std::vector<Section>& sections, std::string title, Parts... parts) {
  Section section{std::move(title), {}};
  (add_content(section.blocks, std::move(parts)), ...);
  if (!section.blocks.empty()) sections.push_back(std::move(section));
}

/// The items of each key, in the order of the first ones.
template <class Items, class KeyOf>
auto grouped(const Items& items, KeyOf make_key) {
  using Item = std::ranges::range_value_t<Items>;
  using Key = std::decay_t<std::invoke_result_t<KeyOf, const Item&>>;
  std::vector<std::pair<Key, std::vector<Item>>> groups;
  for (const Item& item : items) {
    Key key = std::invoke(make_key, item);
    auto group = std::ranges::find_if(groups, [&](const auto& known) { return known.first == key; });
    if (group == groups.end()) group = groups.insert(group, {std::move(key), {}});
    group->second.push_back(item);
  }
  return groups;
}

}  // namespace gpubench
