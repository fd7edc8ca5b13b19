// Tables: fields between commas, semicolons, tabs or blanks, with or without headings.

#include <algorithm>
#include <array>
#include <deque>
#include <set>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/readers.h"

namespace gpubench::table_reader {
namespace {

using Fields = std::vector<std::string_view>;

constexpr std::size_t kLinesToRecognize = 500;
constexpr std::size_t kMostNoted = 10'000;

bool is_digit(char character) { return character >= '0' && character <= '9'; }

bool is_whole(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

bool is_stamp(std::string_view text) { return parse_stamp(text).has_value(); }

bool is_number(std::string_view field) { return parse_decimal(field).has_value(); }

/// Returns the text from the start of one field to the end of a later one.
std::string_view joined(std::string_view left, std::string_view right) {
  return {left.data(), static_cast<std::size_t>(right.data() + right.size() - left.data())};
}

char detect_separator(std::string_view line) {
  for (const char separator : {';', ',', '\t'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

/// Fields of a line, and the text that owns them.
class Line {
 public:
  Line(std::string_view line, char separator) : text_(line) {
    // Commas in numbers are decimal signs if the separators are ";", or "," followed by a blank.
    const bool is_spaced = line.find(", ") != line.npos && line.find('"') == line.npos;
    for (std::size_t i = 1; (separator == ';' || (separator == ',' && is_spaced)) && i + 1 < text_.size();
         ++i)
      if (text_[i] == ',' && is_digit(text_[i - 1]) && is_digit(text_[i + 1])) text_[i] = '.';
    // A script may put a stamp and a tab before a line with commas.
    if (separator == ',') std::ranges::replace(text_, '\t', ',');
    fields_ = split_fields(text_, separator);
    if (separator == ' ') std::erase(fields_, "");
    for (std::size_t at = 0; separator == ' ' && at + 1 < fields_.size(); ++at)
      if (is_number(fields_[at]) && watts_per_unit(fields_[at + 1])) join(at);
  }
  explicit Line(std::string_view line) : Line(line, detect_separator(line)) {}
  Line(const Line&) = delete;

  const Fields& fields() const { return fields_; }

  /// Joins a stamp that the separator split at its blanks or at the comma before its fraction.
  void join_stamp() {
    constexpr std::size_t kMostParts = 7;  // "Sun Mar  1 12:00:00 PM UTC 2026".
    for (std::size_t at = 0; at + 1 < fields_.size(); ++at) {
      const bool is_fraction = is_whole(fields_[at + 1]) && fields_[at + 1].size() % 3 == 0;
      if (is_stamp(fields_[at]) && !is_fraction) return;
      for (std::size_t end = std::min(at + kMostParts, fields_.size()); end-- > at + 1;) {
        if (!is_stamp(joined(fields_[at], fields_[end]))) continue;
        while (end-- > at) join(at);
        return;
      }
    }
  }

 private:
  void join(std::size_t at) {
    fields_[at] = joined(fields_[at], fields_[at + 1]);
    fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }

  std::string text_;
  Fields fields_;
};

/// Columns of a format in a table.
struct Layout {
  LogFormat format;                  ///< With one field per column that a place names.
  std::vector<std::size_t> columns;  ///< One per field.
  std::size_t count = 0;             ///< Number of all columns.
};

/// Returns true if the line may be headings: no field but a stamp before them is a value.
bool may_be_headings(const Fields& fields) {
  const auto is_amount = [](std::string_view field) { return is_number(field) || parse_watts(field); };
  // Stamps last, since reading them is slow.
  if (fields.empty() || std::any_of(fields.begin() + 1, fields.end(), is_amount)) return false;
  const bool is_stamped = is_stamp(fields.front());
  return (is_stamped ? fields.size() > 2 : !is_amount(fields.front())) &&
         std::none_of(fields.begin() + 1, fields.end(), is_stamp);
}

std::vector<Heading> read_headings(const Fields& fields, const std::string& wide) {
  std::vector<Heading> headings;
  for (const std::string_view field : fields) {
    headings.push_back(parse_heading(headings.empty() && is_stamp(field) ? "timestamp" : field));
    if (!wide.empty() && field == wide) headings.push_back(parse_heading("ID"));
  }
  return headings;
}

/// Columns that a place names, with the texts of the placeholder in their headings.
using Places = std::vector<std::pair<std::size_t, std::string>>;

Places find_columns(const std::string& place, const std::vector<Heading>& headings) {
  Places columns;
  for (const std::string& one : list_alternatives(place)) {
    for (std::size_t i = 0; i < headings.size() && !one.empty(); ++i)
      if (std::string captured; is_place(one, headings[i], captured)) columns.emplace_back(i, captured);
    if (!columns.empty()) return columns;
  }
  const std::int64_t number = parse_whole(place).value_or(0);
  if (number >= 1 && number <= std::ssize(headings))
    columns.emplace_back(static_cast<std::size_t>(number - 1), "");
  return columns;
}

/// Throws a data Error if the heading names another quantity than power.
void require_power(const Heading& heading, std::size_t line) {
  const bool has_unit = watts_per_unit(heading.unit).has_value();
  constexpr std::array<std::string_view, 6> kNever{"%", "percent", "pct", "energy", "joule", "hour"};
  constexpr std::array<std::string_view, 4> kWithoutUnit{"util", "load", "temp", "volt"};
  const auto is_in = [&](std::string_view word) { return heading.name.find(word) != std::string::npos; };
  if ((heading.unit.empty() || has_unit) && std::ranges::none_of(kNever, is_in) &&
      !heading.name.ends_with("wh") && (has_unit || std::ranges::none_of(kWithoutUnit, is_in)))
    return;
  refuse_line(line, "{} is not a power in watts; name another column in --log-format",
              shown(heading.text + (heading.unit.empty() ? "" : " [" + heading.unit + "]")));
}

/// Finds the columns of a format. Returns the place that is missing.
Measured<Layout> make_layout(const LogFormat& format, const std::vector<Heading>& headings,
                             std::size_t line) {
  Layout layout{format, {}, headings.size()};
  layout.format.fields.clear();
  std::set<std::string> parts;
  for (const LogField& field : format.fields) {
    const Places columns = find_columns(field.place, headings);
    const bool is_power = field.role == LogRole::kPower;
    if (columns.empty() && field.role == LogRole::kTime) return missing("{}", field.place);
    const bool is_unique = columns.size() < 2 || field.place.find('{') != std::string::npos;
    if (!is_unique && (is_power || field.role == LogRole::kTime))
      refuse_line(line, "{} columns are named '{}'; name one by its number in --log-format", columns.size(),
                  field.place);
    for (const auto& [column, captured] : is_unique ? columns : Places()) {
      LogField one = field;
      if (is_power) {
        const Heading& heading = headings[column];
        require_power(heading, line);
        if (!heading.unit.empty()) one.detail = heading.unit;
        if (!captured.empty()) one.facts.gpu.index = gpu_index(captured);
        if (!captured.empty()) one.facts.part += (one.facts.part.empty() ? "" : " ") + captured;
        if (one.facts.part.empty()) one.facts.part = heading.text.empty() ? "power" : heading.text;
        // If a part has several powers, the first in the format is used.
        if (!parts.insert(one.facts.part).second) continue;
      }
      layout.format.fields.push_back(std::move(one));
      layout.columns.push_back(column);
    }
  }
  if (!parts.empty()) return layout;
  return missing("{}", std::ranges::find(format.fields, LogRole::kPower, &LogField::role)->place);
}

/// Detects powers without a heading that are none, if another column may be the power: small whole numbers,
/// as of a load in percent or a temperature, and a constant, as of a limit.
class Suspicion {
 public:
  void note(const Layout& layout, const Fields& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const double number = parse_decimal(amount_in(fields[i]).digits).value_or(-1);
      const double first = first_.try_emplace(i, number).first->second;
      const auto used = std::ranges::find(layout.columns, i) - layout.columns.begin();
      if (used == std::ssize(layout.columns)) {
        if (!is_whole(fields[i]) && number > 0 && number < 3000) fraction_ = i + 1;
        if (number != first) varying_ = i + 1;
      } else if (layout.format.fields[static_cast<std::size_t>(used)].role == LogRole::kPower) {
        is_small_ = is_small_ && is_whole(fields[i]) && number <= 100;
        is_constant_ = is_constant_ && number == first;
      }
    }
  }

  void check(bool has_headings) const {
    const bool is_small = is_small_ && !has_headings;
    const std::size_t other = is_small ? fraction_ : is_constant_ ? varying_ : 0;
    if (other == 0) return;
    throw Error(ErrorKind::kData,
                "the power {}, and column {} may be the power; name the column in --log-format",
                is_small ? "has whole numbers up to 100 only, as a load in percent or a temperature"
                         : "never changes, as a limit",
                other);
  }

 private:
  std::map<std::size_t, double> first_;
  std::size_t fraction_ = 0;  // Numbers of unused columns, from 1.
  std::size_t varying_ = 0;
  bool is_small_ = true;
  bool is_constant_ = true;
};

/// Returns false for a row that a condition of the format excludes.
bool is_wanted(const Layout& layout, const Fields& fields) {
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const LogField& field = layout.format.fields[i];
    if (field.role == LogRole::kWhere && layout.columns[i] < fields.size() &&
        !field.condition->match(fields[layout.columns[i]]))
      return false;
  }
  return true;
}

}  // namespace

bool has_signature(const std::string& text, const LogFormat& format) {
  try {
    for (TextLines lines(text); lines.next() && lines.number() <= kLinesToRecognize;) {
      const Line line(lines.line());
      if (!may_be_headings(line.fields())) continue;
      const std::vector<Heading> headings = read_headings(line.fields(), format.wide);
      const auto is_there = [&](const std::string& place) { return !find_columns(place, headings).empty(); };
      if (std::ranges::all_of(format.signature, is_there)) return true;
    }
  } catch (const Error&) {
    // Not a text; read() reports the line.
  }
  return false;
}

LogFormat infer(const std::string& text) {
  std::string first;
  std::string why;
  std::string time = "COLUMN";
  std::vector<Heading> headings;
  std::string headings_line;
  for (TextLines lines(text); lines.next() && lines.number() <= kLinesToRecognize;) {
    if (lines.line().empty()) continue;
    if (first.empty()) first = lines.line();
    Line line(lines.line());
    if (may_be_headings(line.fields())) {
      if (line.fields().size() > 1) headings = read_headings(line.fields(), ""), headings_line = lines.line();
      continue;
    }
    if (headings.size() != line.fields().size()) line.join_stamp();
    const Fields& fields = line.fields();
    const bool is_one_table = detect_separator(headings_line) == detect_separator(lines.line());
    if (headings.size() != fields.size() || !is_one_table) headings.clear();
    std::vector<LogColumn> columns;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      columns.push_back({std::to_string(i + 1), {}, fields[i]});
      if (!headings.empty()) columns.back() = {headings[i].text, headings[i], fields[i]};
      if (time == "COLUMN" && is_stamp(fields[i])) time = columns.back().place;
    }
    Measured<LogFormat> format = infer_format(columns);
    if (format.has_value()) return std::move(format).value();
    if (why.empty()) why = format.reason();
    if (time == "COLUMN" && headings.empty()) continue;
    refuse_unknown(headings.empty() ? lines.line() : std::string_view(headings_line), format.reason(),
                   fmt::format("time={} power=COLUMN:W", time));
  }
  refuse_unknown(headings_line.empty() ? first : headings_line,
                 why.empty() ? "no line has a date and a time" : why, "time=COLUMN power=COLUMN:W");
}

void read(const std::string& text, const LogFormat& format, LogBuilder& builder) {
  std::optional<Layout> layout;
  std::string headings_line;
  std::string missing_place = format.fields.front().place;
  char separator = ',';
  Suspicion suspicion;
  bool has_rows = false;
  for (TextLines lines(text, &builder); lines.next();) {
    if (lines.line().empty() || lines.line() == headings_line) continue;
    if (!has_rows && headings_line.empty()) separator = detect_separator(lines.line());
    Line line(lines.line(), separator);
    const Fields& fields = line.fields();
    if (may_be_headings(fields)) {
      Measured<Layout> found = make_layout(format, read_headings(fields, format.wide), lines.number());
      if (found.has_value()) {
        layout = std::move(found).value();
        headings_line = lines.line();
        continue;
      }
      if (fields.size() > 1 && !layout) missing_place = found.reason();
    } else if (!has_rows && headings_line.empty()) {
      // Without headings, places are numbers.
      line.join_stamp();
      Measured<Layout> found = make_layout(format, std::vector<Heading>(fields.size()), lines.number());
      if (found.has_value()) layout = std::move(found).value();
    }
    if (lines.line().starts_with('#')) continue;
    if (!layout || !is_wanted(*layout, fields)) continue;
    if (fields.size() > layout->count) line.join_stamp();
    const bool is_row = fields.size() > layout->count && std::ranges::any_of(fields, is_stamp);
    if (fields.size() != layout->count && !is_row) {
      builder.skip(lines.number(), lines.line(),
                   fmt::format("has {} of {} fields", fields.size(), layout->count));
      continue;
    }
    if (fields.size() > layout->count) {
      refuse_line(lines.number(), "{} has {} fields instead of {}{}", shown(lines.line()), fields.size(),
                  layout->count,
                  fields.back().empty() ? "; remove the separator at the end of the lines"
                                        : "; if commas are decimal signs, record with LC_ALL=C");
    }
    has_rows = true;
    if (lines.number() <= kMostNoted) suspicion.note(*layout, fields);
    LogRecord record{lines.number(), lines.line(), {}};
    for (const std::size_t column : layout->columns) record.values.emplace_back(fields[column]);
    builder.take(layout->format, record);
  }
  if (!layout) refuse_place(format, missing_place);
  if (has_rows) suspicion.check(!headings_line.empty());
}

}  // namespace gpubench::table_reader
