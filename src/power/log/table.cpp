// Tables of power. Each line has a time stamp and powers, or a JSON object.

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/columns.h"
#include "power/log/trace_collector.h"

namespace gpubench::table_plugin {
namespace {

using Fields = std::vector<std::string_view>;
using Json = nlohmann::ordered_json;

/// Largest value in watts if the heading has no unit; larger ones may be milliwatts.
constexpr double kMostWithoutUnit = 3000;
/// Largest number that may be a load in percent.
constexpr double kPercent = 100;
/// Most GPUs in a table without headings.
constexpr std::int64_t kMostGpus = 16;

bool is_digit(char character) { return character >= '0' && character <= '9'; }

bool is_whole(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

bool is_stamp(std::string_view text) { return parse_stamp(text).has_value(); }

bool is_number(std::string_view field) { return parse_decimal(field).has_value(); }

bool is_watts(std::string_view field) {
  const auto [digits, unit] = amount_in(field);
  return watts_per_unit(unit) && is_number(digits);
}

/// Returns true for "[N/A]", "[Not Supported]", "[Unknown Error]", "ERR!", "-" and the like.
bool is_no_value(std::string_view field) {
  constexpr std::array<std::string_view, 7> kTexts{"", "-", "N/A", "ERR!", "null", "nan", "NaN"};
  return field.starts_with('[') || std::ranges::find(kTexts, field) != kTexts.end();
}

/// Returns the text from the start of one field to the end of a later one.
std::string_view joined(std::string_view left, std::string_view right) {
  return {left.data(), static_cast<std::size_t>(right.data() + right.size() - left.data())};
}

/// Returns true if commas in numbers are decimal signs: the separators are ";", or "," followed by a blank.
bool has_decimal_commas(std::string_view line, char separator) {
  const bool is_spaced =
      line.find(", ") != std::string_view::npos && line.find('"') == std::string_view::npos;
  return separator == ';' || (separator == ',' && is_spaced);
}

/// Replaces commas between digits by points.
std::string with_points(std::string_view line) {
  std::string text(line);
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == ',' && is_digit(text[i - 1]) && is_digit(text[i + 1])) text[i] = '.';
  }
  return text;
}

char detect_separator(std::string_view line) {
  for (const char separator : {';', ',', '\t'}) {
    if (line.find(separator) != std::string_view::npos) return separator;
  }
  return ' ';
}

/// Joins a stamp that the separator split at its blank or at the comma before its fraction.
void join_stamp(Fields& fields, std::size_t at) {
  if (at + 1 >= fields.size()) return;
  const std::string_view next = fields[at + 1];
  const bool is_fraction = is_whole(next) && next.size() % 3 == 0;
  const std::string_view whole = joined(fields[at], next);
  if ((is_stamp(fields[at]) && !is_fraction) || !is_stamp(whole)) return;
  fields[at] = whole;
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at) + 1);
}

/// Returns the position of a stamp or of its first half, or the number of fields without one.
std::size_t find_time(const Fields& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_half = i + 1 < fields.size() && is_stamp(joined(fields[i], fields[i + 1]));
    if (is_half || is_stamp(fields[i])) return i;
  }
  return fields.size();
}

std::string list(const Fields& headings) {
  return join(mapped(headings, [](std::string_view text) { return std::string(trimmed(text)); }));
}

struct Row {
  std::size_t line = 0;
  std::string_view text{};
  Stamp stamp{};
  Fields fields{};
  std::string points{};               ///< Owns the fields of a line with decimal commas.
  std::vector<std::string> values{};  ///< Owns the fields of a JSON object.
};

/// Reads an object to a depth of three. Returns null for other texts.
Json read_object(std::string_view line) {
  const auto is_kept = [](int depth, Json::parse_event_t, const Json&) { return depth <= 3; };
  const Json object = Json::parse(line, is_kept, /*allow_exceptions=*/false);
  return object.is_object() && !object.empty() ? object.flatten() : Json();
}

class Rows {
 public:
  Rows(const std::string& text, const std::vector<std::string>& chosen, TraceCollector* collector)
      : lines_(text, collector), chosen_(chosen), collector_(collector) {}

  /// Goes to the next row. Returns false at the end. Throws a data Error for a table without time or power.
  bool next() {
    while (lines_.next()) {
      row_ = {.line = lines_.number(), .text = lines_.line()};
      if (row_.text.empty()) continue;
      if (row_.text.starts_with('{') ? read_json() : read_fields()) return true;
    }
    return false;
  }

  const Row& row() const { return row_; }
  const Columns& columns() const { return *columns_; }
  bool has_columns() const { return columns_.has_value(); }

 private:
  bool read_fields() {
    if (!json_names_.empty()) return skip("is not a JSON object");
    if (!columns_) separator_ = detect_separator(row_.text);
    const bool has_commas = has_decimal_commas(row_.text, separator_);
    if (has_commas) row_.points = with_points(row_.text);
    row_.fields = split_fields(has_commas ? row_.points : row_.text, separator_);
    if (separator_ == ' ') std::erase(row_.fields, "");
    if (take_heading() || row_.text.starts_with('#')) return false;
    if (!columns_) columns_ = guess_columns(row_.fields);
    return columns_ && fit_fields() && is_summary() && take_stamp();
  }

  /// Reads an object. Nested names become "outer.NAME".
  bool read_json() {
    const Json object = read_object(row_.text);
    if (!object.is_object()) return skip("is not a JSON object");
    if (columns_ && json_names_.empty()) return skip("is a JSON object among other lines");
    std::vector<std::string> names;
    for (const auto& [key, value] : object.items()) {
      names.push_back(key.substr(1));
      std::ranges::replace(names.back(), '/', '.');
      row_.values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    if (json_names_ != names) {
      const Fields headings(names.begin(), names.end());
      Columns columns = columns_of_headings(headings, chosen_);
      if (!columns.time || (columns_ && columns.power.empty())) return skip("has no time, or no power");
      columns_ = std::move(columns);
      require_columns(headings);
      json_names_ = std::move(names);
    }
    row_.fields = Fields(row_.values.begin(), row_.values.end());
    return take_stamp();
  }

  /// Reads headings, which name a time or a power. Later headings name both or repeat the first ones.
  bool take_heading() {
    const bool is_word = row_.fields.size() < 2 && row_.text.find('[') == std::string_view::npos;
    const auto is_value = [](std::string_view f) { return is_stamp(f) || is_number(f) || is_watts(f); };
    if ((is_word && chosen_.empty()) || std::ranges::any_of(row_.fields, is_value)) return false;
    if (headings_ == row_.text) return true;
    const Columns plain = columns_of_headings(row_.fields, {});
    const bool has_time = plain.time.has_value();
    const bool has_known = std::ranges::any_of(plain.power, &PowerColumn::has_unit);
    if (columns_ ? !has_time || plain.power.empty() : !has_time && !has_known) return false;
    headings_ = row_.text;
    columns_ = chosen_.empty() ? plain : columns_of_headings(row_.fields, chosen_);
    require_columns(row_.fields);
    return true;
  }

  void require_columns(const Fields& headings) const {
    if (std::ranges::find(headings, "emissions") != headings.end()) {
      refuse_line(row_.line, "is CodeCarbon's summary of whole runs; name a log of power over time");
    }
    if (!columns_->time) {
      refuse_line(row_.line, "no column has a date and a time ({}); record with a time stamp in each line",
                  list(headings));
    }
    if (!columns_->power.empty()) return;
    refuse_line(row_.line, "no heading names a power ({}); select a column: --power-column NAME or NAME:mW",
                list(headings));
  }

  /// Derives headings from the values of a row. Returns nothing for a line that is not a row.
  std::optional<Columns> guess_columns(Fields fields) const {
    const std::size_t time = find_time(fields);
    if (time == fields.size()) return std::nullopt;
    if (fields.size() > 2) join_stamp(fields, time);
    Fields headings(fields.size());
    headings[time] = "timestamp";
    std::vector<std::size_t> watts;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool is_beside_time = i + 1 == time || i == time + 1;
      if (i == time) continue;
      if (fields[i].starts_with("GPU-")) {
        headings[i] = "uuid";
      } else if (is_beside_time && fields.size() > 2 &&
                 gpu_index(fields[i]).value_or(kMostGpus) < kMostGpus) {
        headings[i] = "gpu";
      } else if (is_watts(fields[i])) {
        watts.push_back(i);
      } else if (is_number(fields[i])) {
        numbers.push_back(i);
      }
    }
    const std::vector<std::size_t>& found = watts.empty() ? numbers : watts;
    if (found.empty() && chosen_.empty()) return std::nullopt;
    if (found.size() > 1 && chosen_.empty()) {
      refuse_line(row_.line, "no headings, and {} columns may be the power; select one: --power-column {}",
                  found.size(), found.front() + 1);
    }
    const bool is_nvidia = fields[time].find('/') != std::string_view::npos;
    for (const std::size_t i : found) headings[i] = is_nvidia ? "power.draw" : "power";
    return columns_of_headings(headings, chosen_);
  }

  /// Gives the row as many fields as the table has columns; false for a foreign line.
  bool fit_fields() {
    const std::size_t count = columns_->count;
    Fields& fields = row_.fields;
    if (fields.size() > count) join_stamp(fields, *columns_->time);
    // turbostat omits missing values at the end of a line.
    if (fields.size() < count && columns_->processor) fields.resize(count);
    if (fields.size() == count) return true;
    if (fields.size() < count || !is_stamp(fields[*columns_->time])) {
      return skip(fmt::format("has {} of {} fields", fields.size(), count));
    }
    refuse_line(row_.line,
                "{} has {} fields instead of {}; if commas are decimal signs, record with LC_ALL=C",
                shown(row_.text), fields.size(), count);
  }

  /// Returns false for turbostat's lines of single processors; the line of the whole machine has a dash.
  bool is_summary() const { return !columns_->processor || row_.fields[*columns_->processor] == "-"; }

  bool take_stamp() {
    std::string text(row_.fields[*columns_->time]);
    if (const auto date = columns_->date) text = fmt::format("{} {}", row_.fields[*date], text);
    const Measured<Stamp> stamp = parse_stamp(text);
    if (!stamp.has_value()) return skip(stamp.reason());
    row_.stamp = stamp.value();
    return true;
  }

  bool skip(const std::string& why) {
    if (collector_) collector_->skip(row_.line, row_.text, why);
    return false;
  }

  TextLines lines_;
  const std::vector<std::string>& chosen_;
  TraceCollector* collector_;
  Row row_;
  std::optional<Columns> columns_;
  char separator_ = ',';  ///< Separator of the fields, from the line that defined the columns.
  std::string headings_;  ///< Line of the headings; empty for a table without headings.
  std::vector<std::string> json_names_;
};

/// Returns the column with the GPU's number. Prefers "gpu" of scripts that query GPUs one by one as index 0.
ColumnPlace index_column(const Columns& columns) { return columns.gpu ? columns.gpu : columns.index; }

std::string make_key(const Row& row, std::initializer_list<ColumnPlace> labels) {
  std::string key;
  for (const ColumnPlace& at : labels) {
    if (at) key.append(row.fields[*at]).append("\n");
  }
  return key;
}

/// Returns false if the index is the same in all lines and another column distinguishes the GPUs.
bool has_true_index(const std::string& text, const std::vector<std::string>& chosen) {
  std::set<std::string> indices;
  std::set<std::string> others;
  for (Rows rows(text, chosen, nullptr); rows.next() && indices.size() < 2;) {
    const Columns& columns = rows.columns();
    indices.insert(make_key(rows.row(), {index_column(columns)}));
    others.insert(make_key(rows.row(), {columns.uuid, columns.bus, columns.name}));
  }
  return indices.size() > 1 || others.size() < 2;
}

GpuIdentity find_gpu(const Row& row, const Columns& columns, bool has_index) {
  GpuIdentity gpu;
  if (const auto at = columns.uuid) gpu.uuid = row.fields[*at];
  if (const auto at = columns.bus) gpu.pci_address = row.fields[*at];
  const auto at = index_column(columns);
  if (!at || !has_index) return gpu;
  const std::string_view text = row.fields[*at];
  gpu.index = gpu_index(text);
  if (!gpu.index && gpu.uuid.empty() && text.starts_with("GPU-")) gpu.uuid = text;
  if (!gpu.index && at == columns.index) {
    refuse_line(row.line, "{} is not the index of a GPU; correct or remove the line", shown(text));
  }
  return gpu;
}

PowerSourceFacts make_facts(const Row& row, const Columns& columns, const PowerColumn& column,
                            const GpuIdentity& gpu) {
  PowerSourceFacts facts = column.facts;
  const auto label = [&](const ColumnPlace& at) { return at ? " " + std::string(row.fields[*at]) : ""; };
  if (facts.part == "GPU") {
    facts.gpu = gpu;
    if (gpu.index) {
      facts.part += fmt::format(" {}", *gpu.index);
    } else if (!gpu.uuid.empty() || !gpu.pci_address.empty()) {
      facts.part += " " + (gpu.uuid.empty() ? gpu.pci_address : gpu.uuid);
    } else {
      facts.part += label(columns.gpu);
    }
    facts.part += label(columns.name);
  }
  if (!columns.host) return facts;
  const bool is_one_of_several = columns.power.size() > 1 || facts.gpu != GpuIdentity{};
  facts.part = label(columns.host).substr(1) + (is_one_of_several ? " " + facts.part : "");
  return facts;
}

Measured<Watts> watts(const Row& row, const PowerColumn& column) {
  const std::string_view field = row.fields[column.at];
  if (is_no_value(field)) return missing(std::string(field.substr(0, 40)));
  const auto [digits, unit] = amount_in(field);
  const std::optional<double> own = watts_per_unit(unit);
  const std::optional<double> value = parse_decimal(digits);
  if (!value || (!unit.empty() && !own)) {
    refuse_line(row.line, "the power {} is not a number of watts; correct or remove the line", shown(field));
  }
  const double watts = *value * own.value_or(column.watts);
  if (own || column.has_unit || watts <= kMostWithoutUnit) return Watts{watts};
  refuse_line(row.line,
              "{} in a column without a unit is implausible as watts; use --power-column {}:mW, or {}:W if "
              "it is correct",
              shown(field), column.at + 1, column.at + 1);
}

void add_details(const Row& row, const Columns& columns, PowerReading& reading) {
  const auto number = [&](const ColumnPlace& at) {
    return at ? parse_decimal(amount_in(row.fields[*at]).digits) : std::nullopt;
  };
  if (const auto celsius = number(columns.temperature)) reading.temperature = Celsius{*celsius};
  if (const auto megahertz = number(columns.clock)) reading.clock = Hertz{*megahertz * 1e6};
  if (const auto watts = number(columns.limit)) reading.limit = Watts{*watts};
}

void collect(const std::string& text, TraceCollector& collector) {
  const std::vector<std::string>& chosen = collector.options().power_columns;
  const bool has_index = has_true_index(text, chosen);
  std::optional<double> highest_guess;
  for (Rows rows(text, chosen, &collector); rows.next();) {
    const Row& row = rows.row();
    const Columns& columns = rows.columns();
    const GpuIdentity gpu = find_gpu(row, columns, has_index);
    const std::string key =
        make_key(row, {columns.host, columns.index, columns.gpu, columns.uuid, columns.bus, columns.name});
    for (const PowerColumn& column : columns.power) {
      PowerReading reading = power_reading(watts(row, column));
      if (column.is_guess)
        highest_guess = std::max(highest_guess.value_or(0), reading.power.value_or({0}).value);
      if (columns.power.size() == 1) add_details(row, columns, reading);
      collector.add(
          key + column.facts.part, [&] { return make_facts(row, columns, column, gpu); },
          {collector.to_utc(row.stamp), std::move(reading)}, row.line);
    }
  }
  if (!highest_guess || *highest_guess > kPercent) return;
  throw Error(
      ErrorKind::kData,
      "columns named after GPUs may be watts or a load in percent; select the power: --power-column GPU0:W");
}

bool is_like(const std::string& text) {
  const std::vector<std::string> none;
  try {
    Rows rows(text, none, nullptr);
    return rows.next() || rows.has_columns();
  } catch (const Error&) {
    return true;  // An invalid table; collect() reports the problem.
  }
}

}  // namespace

PowerLogFormat entry_table() { return {"table", false, is_like, collect}; }

}  // namespace gpubench::table_plugin
