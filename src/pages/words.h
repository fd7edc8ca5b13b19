#pragma once
// Figures and what else pages say alike, as people read them.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Messages come from drivers and libraries: the first line says it, and control characters must not reach
/// the terminal. The result file keeps the whole.
std::string one_line(const std::string& message);

/// "12.0 to 12.6"; empty without an interval.
std::string interval_text(const Reading<Estimate>& estimate);

/// "1 case", "12 cases".
std::string counted(std::size_t count, const std::string& noun);

/// "a; b; c", and how many more there are where they are many.
std::string counted(std::vector<std::string> parts);

/// "precision fp32 against fp16".
std::string sentence_of(const Difference& difference);

/// The same, and of how many cases: "precision fp32 against fp16 (2 cases)".
std::string words_of(const DifferenceCount& count);

/// Whether the times of the duel compare, and what to mind; plain where without reservation.
Paragraph comparability_of(const Duel& duel);

/// Whether the interval, or the figure without one, leaves no doubt on which side of 1 it is.
bool is_distinct_from_one(const Estimate& ratio);

/// A value in the unit that suits its magnitude: "64 GiB", "fp32 6.50 TFLOP/s, bf16 26.0 TFLOP/s", "yes".
/// Empty for what is absent, for an empty text, and for lists of figures.
std::string field_words(const FieldValue& value, const std::string& unit);

/// That the figures were published and not measured by gpubench, how they came about, and what the record
/// says to mind. Empty for a measured run.
std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication);

// Cells: the figure with `unit` told by the column, or "-" with the reason as a note.
Cell no_figure(const std::string& why);
Cell count_cell(std::size_t count);
Cell number_cell(double number);
Cell number_cell(const Reading<double>& number);
/// "2.10 ms".
Cell duration_cell(double seconds);
/// For other programs: the value and the ends of its interval; empty where there are none.
std::array<Cell, 3> estimate_cells(const Reading<Estimate>& estimate);
/// Above 1 is good, below is bad, neither where 1 is within the interval.
Cell ratio_cell(const Reading<Estimate>& ratio);

// Points and lines of charts.
Point point_of(double x, const Estimate& estimate);
/// `amount` by the time: a long one is a low rate, and the ends of the interval change places.
Point rate_point(double x, double amount, const Estimate& seconds);
/// The series of that name, which is new where there is none yet.
Series& series_called(const std::string& name, std::vector<Series>& all);
/// A bar of a series in a category; both are new where they are not known yet.
void add_bar(Chart& chart, const std::string& series, const std::string& category, const Estimate& estimate);
/// From left to right.
void sort_points(std::vector<Series>& all);

}  // namespace gpubench
