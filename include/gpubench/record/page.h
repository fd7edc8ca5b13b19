#pragma once
// Pages for people, as data: makers choose words, units and digits; writers lay them out and add nothing.

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpubench {

/// How a writer may colour something. Never the only sign: the words say it too.
enum class Tone { kPlain, kGood, kWarning, kBad, kMuted };

/// One cell of a table. Text may come from a file of unknown origin: writers escape it.
struct Cell {
  std::string text;                  ///< As shown: "1.23", "-", "oom".
  std::optional<double> value = {};  ///< To sort by and for files of values; in the column's unit.
  std::string note = {};             ///< What to mind, or why there is no figure; empty where nothing.
  Tone tone = Tone::kPlain;
};

struct Column {
  std::string heading;
  std::string unit = {};   ///< "s", "x", "samples/s"; empty for text and plain numbers.
  bool is_number = false;  ///< Aligned to the right.
  bool is_detail = false;  ///< Left out of a text that it would make too wide.
};

/// Each row has a cell for each column.
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes = {};  ///< Formulas and caveats, a sentence each, below the table.
};

/// A point of a line, or a bar: then `x` is the position of its category, from 0.
struct Point {
  double x = 0;
  double y = 0;
  std::optional<double> low = {};  ///< Ends of the interval of `y`, both or neither.
  std::optional<double> high = {};
  std::string name = {};  ///< What it stands for, where its place does not tell.
};

struct Series {
  std::string name;
  std::vector<Point> points;
};

struct Axis {
  std::string label;
  std::string unit = {};
  bool is_logarithmic = false;               ///< Then all values are above 0.
  std::vector<std::string> categories = {};  ///< Of bars, from 0; empty on a scale.
  bool is_time = false;                      ///< Seconds since 1970 UTC, labelled by dates.
};

enum class ChartKind { kLines, kBars, kPoints };  ///< Points: lines without the line.

struct Chart {
  std::string title;
  ChartKind kind = ChartKind::kLines;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::optional<double> baseline = {};  ///< A y that divides good from bad, such as a ratio of 1.
  std::vector<std::string> notes = {};
  bool is_in_text = false;  ///< Text draws it, too, with characters: lines and points only.
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::kPlain;
};

using Block = std::variant<Paragraph, Table, Chart>;

struct Section {
  std::string title;
  std::vector<Block> blocks;
  bool is_detail = false;  ///< Folded in HTML; in text only if the page shows details.
};

/// A whole document.
struct Page {
  std::string title;
  std::vector<Paragraph> summary;  ///< The answer, in plain words, before everything else.
  std::vector<Section> sections;
  Table data;  ///< All that was measured, a row each, in base units: what files of values hold.
  bool shows_details = false;  ///< Text has all sections and columns.
};

}  // namespace gpubench
