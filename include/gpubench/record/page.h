#pragma once
// Report pages as data. Page makers choose words, units and digits; formats only lay them out.

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpubench {

/// Colour of an element. Text must carry the same information.
enum class Tone { kPlain, kGood, kWarning, kBad, kMuted };

/// A table cell. Text is untrusted: formats escape it.
struct Cell {
  std::string text;                  ///< Displayed text: "1.23", "-", "oom".
  std::optional<double> value = {};  ///< Value for sorting and data formats, in the column's unit.
  std::string note = {};             ///< Caution, or reason for a missing value; else empty.
  Tone tone = Tone::kPlain;
};

struct Column {
  std::string heading;
  std::string unit = {};   ///< "s", "x", "samples/s"; empty for text and plain numbers.
  bool is_number = false;  ///< Right-aligned.
  bool is_detail = false;  ///< Dropped from text that would be too wide.
};

/// A table with one cell per column in each row.
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes = {};  ///< Sentences below the table: formulas and cautions.
};

/// A data point. In a bar chart `x` is the position of the category, from 0.
struct Point {
  double x = 0;
  double y = 0;
  std::optional<double> low = {};   ///< Lower end of the interval of `y`.
  std::optional<double> high = {};  ///< Upper end of the interval of `y`; set with `low`.
  std::string name = {};            ///< Label, if the position does not identify the point.
};

struct Series {
  std::string name;
  std::vector<Point> points;
};

struct Axis {
  std::string label;
  std::string unit = {};
  bool is_logarithmic = false;               ///< Requires values above 0.
  std::vector<std::string> categories = {};  ///< Categories of bars; empty for a numeric scale.
  bool is_time = false;                      ///< Values are seconds since 1970 UTC, labelled by dates.
};

enum class ChartKind { kLines, kBars, kPoints };

struct Chart {
  std::string title;
  ChartKind kind = ChartKind::kLines;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::optional<double> baseline = {};  ///< Reference value of y, such as a ratio of 1.
  std::vector<std::string> notes = {};
  bool is_in_text = false;  ///< Also drawn by the text formats.
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::kPlain;
};

using Block = std::variant<Paragraph, Table, Chart>;

struct Section {
  std::string title;  ///< Empty: without a heading, such as a chart that belongs to the summary.
  std::vector<Block> blocks;
  bool is_detail = false;  ///< Collapsed in HTML; in text only if the page shows details.
};

struct Page {
  std::string title;
  std::vector<Paragraph> summary;  ///< Main results, shown first.
  std::vector<Section> sections;
  Table data;                       ///< All measurements in base units, for data formats.
  bool shows_details = false;       ///< Shows all sections and columns in text.
  std::string answer = {};          ///< Verdict as one word for other programs: "pass"; empty: none.
  std::size_t width = 80;           ///< Maximum width of text tables, in terminal columns.
  bool shows_notes = true;          ///< Shows the notes below tables in text.
  std::string details_option = {};  ///< Option or command that shows all columns, for a note in text.
};

}  // namespace gpubench
