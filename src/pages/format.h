#pragma once
// What pages are made of alike: words, cells, points and sections.

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

/// Messages come from drivers and libraries: the first line says it, and control characters must not reach
/// the terminal. The result file keeps the whole.
std::string one_line(const std::string& message);

/// "12.0 to 12.6"; empty without an interval.
std::string interval_text(const Measured<Estimate>& estimate);

/// "1 case", "12 cases".
std::string counted(std::size_t count, const std::string& noun);

/// "a; b; c", and how many more there are where they are many.
std::string counted(std::vector<std::string> parts);

/// format_sentence() the difference, and in how many cases: "precision: A fp32, B fp16 (2 cases)".
std::string format_words(const DifferenceCount& count, const BaselineComparison& versus);

/// Whether the times of the versus compare, and what to consider; plain where nothing speaks against it.
/// Empty where no case has a ratio and no difference is the reason.
std::vector<Paragraph> describe_comparability(const BaselineComparison& versus);

/// "5 %", "7.3 %": within what figures are equal.
std::string margin_text(double margin);

/// How ratios of a versus get an interval that they lack: " Use --repeat 5 ..."; empty where nothing helps.
std::string remedy_for(const BaselineComparison& versus);

/// Where turns were possible and not taken: " 'gpubench ab' detects smaller differences."; else empty.
std::string make_hint(const BaselineComparison& versus);

/// A value in the unit that suits its magnitude: "64 GiB", "fp32 6.50 TFLOP/s, bf16 26.0 TFLOP/s", "yes".
/// Empty for what is absent, for an empty text, and for lists of figures.
std::string field_words(const FieldValue& value, const std::string& unit);

/// That the figures were published and not measured by gpubench, how they came about, and what the record
/// says to mind. Empty for a measured run.
std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication);

/// What to mind, formatted as fmt::format does.
template <class... Arguments>
Paragraph caution(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {fmt::format(text, std::forward<Arguments>(arguments)...), Tone::kWarning};
}

// Cells: the figure with `unit` told by the column, or "-" with the reason as a note.
Cell no_figure(const std::string& why);
Cell count_cell(std::size_t count);
Cell number_cell(double number);
/// "< 0.60" where it is not told but what it is at most.
Cell number_cell(const Measured<double>& number);
/// "2.10 ms".
Cell duration_cell(double seconds);
/// For other programs: empty where there is no figure, since the words are for people.
Cell value_cell(const Measured<double>& value);
/// The same of an estimate and of the ends of its interval.
std::array<Cell, 3> estimate_cells(const Measured<Estimate>& estimate);
/// Good or bad where that is beyond doubt.
Cell ratio_cell(const Measured<Estimate>& ratio);
/// What the speed ratio amounts to: "faster", "slower", "equal within 5 %", "undecided", "unknown".
Cell outcome_cell(const Measured<Estimate>& ratio, double margin);

// Points and lines of charts.
Point make_point(double x, const Estimate& estimate);
/// `amount` by the time: a long one is a low rate, and the ends of the interval change places.
Estimate compute_rate(double amount, const Estimate& seconds);
/// The series of that name, which is new where there is none yet.
Series& series_called(const std::string& name, std::vector<Series>& all);
/// A bar of a series in a category; both are new where they are not known yet.
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
