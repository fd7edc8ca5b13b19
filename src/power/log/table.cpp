// Tables of power over time, as most tools write them: a time stamp and one or more powers a line, separated
// by commas, semicolons, tabs or blanks, or a JSON object a line.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/fields.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/columns.h"
#include "power/log/power_log.h"
#include "power/log/text_lines.h"

namespace gpubench {
namespace {

using Fields = std::vector<std::string_view>;

/// A heading without a unit: more than this is taken for milliwatts. No board takes 1.5 kW yet.
constexpr double kMostWithoutUnit = 3000;
constexpr double kMostOfBoardWithoutUnit = 1500;
/// Numbers up to here may be a load in percent.
constexpr double kPercent = 100;
/// Whole numbers below this may be the index of a GPU.
constexpr std::int64_t kMostGpus = 16;
/// A column is not a GPU index if more than this share of its lines repeat the value of the line before:
/// tools list the GPUs one after the other at each moment.
constexpr double kMostInARow = 0.2;
/// Further lines do not change what a file is.
constexpr std::size_t kLinesToRecognise = 500;

constexpr int kDeepestObject = 3;

constexpr std::string_view kDigits = "0123456789";

bool is_whole(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool are_adjacent(std::string_view left, std::string_view right) {
  return left.data() + left.size() + 1 == right.data();
}

std::string_view joined(std::string_view left, std::string_view right) {
  return {left.data(), static_cast<std::size_t>(right.data() + right.size() - left.data())};
}

/// "71 W", but neither "0" nor "70.71 W".
bool is_fraction_with_unit(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view unit = trimmed(text.substr(digits));
  return digits > 0 && (unit == "W" || unit == "MHz");
}

bool is_stamp(std::string_view text) {
  return parse_stamp(text).has_value() || parse_worded_stamp(text).has_value();
}

/// A number and its unit: "200.00 W", "20000mW", "1500 MHz".
struct Amount {
  std::string_view digits;
  std::string_view unit;
};

Amount amount_in(std::string_view field) {
  std::size_t end = field.size();
  while (end > 0 && kDigits.find(field[end - 1]) == std::string_view::npos && field[end - 1] != '.') --end;
  return {field.substr(0, end), trimmed(field.substr(end))};
}

bool is_number(std::string_view field) { return parse_decimal(field).has_value(); }

bool is_watts(std::string_view field) {
  const auto [digits, unit] = amount_in(field);
  return watts_per_unit(unit) && is_number(digits);
}

Fields split_at_blanks(std::string_view line) {
  Fields fields;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return fields;
}

constexpr char kBlanks = ' ';

char detect_separator(std::string_view line) {
  for (const char separator : {';', ',', '\t'}) {
    if (line.find(separator) != std::string_view::npos) return separator;
  }
  return kBlanks;
}

Fields split(std::string_view line, char separator) {
  return separator == kBlanks ? split_at_blanks(line) : split_fields(line, separator);
}

/// The names and values of an object, those of inner objects after "outer.". {"value": 200, "unit": "W"} is
/// one value.
struct JsonRow {
  std::vector<std::string> names;
  std::vector<std::string> values;
};

std::string to_text(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void flatten(const nlohmann::ordered_json& object, const std::string& prefix, int depth, JsonRow& row) {
  for (const auto& [key, value] : object.items()) {
    const bool has_unit = value.is_object() && value.size() == 2 && value.contains("value") &&
                          value.contains("unit") && value["value"].is_primitive() &&
                          value["unit"].is_primitive();
    if (value.is_object() && !has_unit && depth < kDeepestObject) {
      flatten(value, prefix + key + ".", depth + 1, row);
    } else if (has_unit || value.is_primitive()) {
      row.names.push_back(prefix + key);
      row.values.push_back(has_unit ? to_text(value["value"]) + " " + to_text(value["unit"])
                                    : to_text(value));
    }
  }
}

std::optional<JsonRow> json_row(std::string_view line) {
  if (line.ends_with(',')) line.remove_suffix(1);  // An array may have an object a line, or be one.
  if (line.starts_with("[{") && line.ends_with("}]")) line = line.substr(1, line.size() - 2);
  const auto object = nlohmann::ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  JsonRow row;
  try {
    flatten(object, "", 0, row);
  } catch (const nlohmann::json::exception&) {  // Text that is not UTF-8.
    return std::nullopt;
  }
  return row;
}

/// A line with a time stamp and values.
struct Row {
  std::size_t line = 0;
  std::string_view text;
  Stamp stamp;
  Fields fields;
  char point = '.';                 ///< Between the whole number and the fraction of its values.
  std::vector<std::string> values;  ///< Owns the fields of a JSON object.
};

/// Puts "230" and "71 W" together where there are more fields than columns: a comma right between digits,
/// whose number ends with a unit, is a decimal sign.
void join_decimals(Row& row, std::size_t columns) {
  Fields fields;
  for (const std::string_view field : row.fields) {
    const bool is_decimal = row.fields.size() > columns && !fields.empty() && is_whole(fields.back()) &&
                            is_fraction_with_unit(field) && are_adjacent(fields.back(), field);
    if (is_decimal) {
      fields.back() = joined(fields.back(), field);
      row.point = ',';
    } else {
      fields.push_back(field);
    }
  }
  row.fields = std::move(fields);
}

/// Puts a stamp together that the separator split at its blank or at the comma before its fraction.
void join_stamp(Fields& fields, std::size_t at) {
  if (at + 1 >= fields.size()) return;
  const std::string_view whole = joined(fields[at], fields[at + 1]);
  const bool is_fraction = is_whole(fields[at + 1]) && are_adjacent(fields[at], fields[at + 1]);
  if ((!is_fraction && is_stamp(fields[at])) || is_whole(fields[at]) || !parse_stamp(whole).has_value())
    return;
  fields[at] = whole;
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at) + 1);
}

std::string headings_text(const Fields& headings) {
  return join(mapped(headings, [](std::string_view heading) { return std::string(trimmed(heading)); }));
}

/// Goes through the rows of a table, and gives foreign lines to a collector if there is one.
class Rows {
 public:
  Rows(const std::string& text, const std::vector<std::string>& chosen, TraceCollector* collector)
      : lines_(text), chosen_(chosen), collector_(collector) {}

  /// Moves on to the next row; false at the end. Throws a data Error for a table without time or power.
  bool next() {
    while (lines_.next()) {
      row_ = {lines_.number(), lines_.line(), {}, {}, '.', {}};
      if (!row_.text.empty() && !is_cut_off() && read_line()) return true;
    }
    return false;
  }

  const Row& row() const { return row_; }
  const Columns& columns() const { return *columns_; }
  bool has_headings() const { return !headings_.empty() || !json_names_.empty(); }
  bool has_columns() const { return columns_.has_value(); }
  std::size_t line() const { return lines_.number(); }

 private:
  /// Digits may be missing at the end of an open line, but not before a unit or what stands for no value.
  bool is_cut_off() {
    const std::string_view text = row_.text;
    const bool has_end = text.ends_with(" W") || text.ends_with("MHz") || text.ends_with(']') ||
                         text.ends_with('}') || text.ends_with('%') || text.ends_with("MiB");
    if (!lines_.is_last_and_open() || has_end || !columns_) return false;
    if (collector_) collector_->leave_out_end();
    return true;
  }

  bool read_line() {
    if (row_.text.starts_with('{') || row_.text.starts_with("[{")) return read_json();
    if (row_.text == "[" || row_.text == "]") return false;  // Around an array.
    if (!json_names_.empty()) return skip("is not a JSON object");
    const bool has_semicolon = row_.text.find(';') != std::string_view::npos;
    const char separator = has_semicolon ? ';' : separator_.value_or(detect_separator(row_.text));
    row_.fields = split(row_.text, separator);
    if (take_heading()) {
      separator_ = separator;
      return false;
    }
    if (row_.text.starts_with('#')) return false;
    if (const Measured<Stamp> stamp = read_stamp(row_.text);
        stamp.has_value() && columns_stamp() == std::nullopt) {
      carried_ = stamp.value();
      return false;
    }
    if (!columns_) {
      columns_ = guessed_columns();
      if (columns_) separator_ = separator;
    }
    return columns_ && fit_fields() && is_summary() && take_stamp();
  }

  bool read_json() {
    std::optional<JsonRow> found = json_row(row_.text);
    if (!found) return skip("is not a JSON object");
    if (columns_ && json_names_.empty()) return skip("is a JSON object among other lines");
    if (!columns_ || json_names_ != found->names) {
      const Fields names(found->names.begin(), found->names.end());
      Columns columns = columns_of_headings(names, chosen_);
      const bool has_time = columns[ColumnRole::kTime].has_value();
      if (!has_time || (columns_ && columns.power.empty())) return skip("has no time, or no power");
      columns_ = std::move(columns);
      require_columns(names);
      json_names_ = found->names;
    }
    row_.values = std::move(found->values);
    row_.fields = Fields(row_.values.begin(), row_.values.end());
    return take_stamp();
  }

  static Measured<Stamp> read_stamp(std::string_view text) {
    Measured<Stamp> stamp = parse_stamp(text);
    return stamp.has_value()                      ? stamp
           : parse_worded_stamp(text).has_value() ? parse_worded_stamp(text)
                                                  : stamp;
  }

  std::optional<std::size_t> columns_stamp() const {
    return columns_ ? (*columns_)[ColumnRole::kTime] : std::nullopt;
  }

  /// Headings have a name of a time or a power, and no value. Later ones have both, or repeat the first.
  bool take_heading() {
    if (row_.fields.size() < 2 && chosen_.empty() && row_.text.find('[') == std::string_view::npos)
      return false;
    if (std::ranges::any_of(row_.fields, [](auto f) { return is_stamp(f) || is_number(f) || is_watts(f); })) {
      return false;
    }
    if (headings_ == row_.text) return true;
    const Columns plain = columns_of_headings(row_.fields, {});
    const bool has_time = plain[ColumnRole::kTime].has_value();
    const bool has_known = std::ranges::any_of(plain.power, &PowerColumn::has_unit);
    if (headings_.empty() && !columns_ ? !has_time && !has_known : !has_time || plain.power.empty())
      return false;
    headings_ = row_.text;
    heading_line_ = row_.line;
    columns_ = chosen_.empty() ? plain : columns_of_headings(row_.fields, chosen_);
    require_columns(row_.fields);
    return true;
  }

  void require_columns(const Fields& headings) const {
    if (std::ranges::find(headings, "emissions") != headings.end()) {
      refuse_line(row_.line, "is CodeCarbon's summary of whole runs; name a log of power over time");
    }
    if (!columns_->power.empty()) return;
    refuse_line(row_.line,
                "no heading says that its column is power ({}); name it: --power-column NAME or NAME:mW",
                headings_text(headings));
  }

  /// The columns of a line without headings; none for a line that is not a row.
  std::optional<Columns> guessed_columns() const {
    Fields fields = row_.fields;
    std::size_t time = 0;
    while (time < fields.size() && !is_stamp(fields[time])) {
      if (time + 1 < fields.size() && parse_stamp(joined(fields[time], fields[time + 1])).has_value()) break;
      ++time;
    }
    if (time == fields.size()) return std::nullopt;
    const bool is_fraction = time + 2 < fields.size() && is_whole(fields[time + 1]) &&
                             (fields[time + 1].size() == 3 || fields[time + 1].size() == 6) &&
                             fields[time].find('.') == std::string_view::npos && !is_whole(fields[time]);
    if (is_fraction || !is_stamp(fields[time])) join_stamp(fields, time);
    Row decimals;
    decimals.fields = fields;
    join_decimals(decimals, 2);
    if (fields.size() == 3 && decimals.fields.size() == 2) fields = decimals.fields;
    Columns columns{.count = fields.size()};
    columns[ColumnRole::kTime] = time;
    find_labels(fields, columns);
    find_power(fields, columns);
    if (columns.power.empty()) return std::nullopt;
    return columns;
  }

  static void find_labels(const Fields& fields, Columns& columns) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string_view field = fields[i];
      if (i == columns[ColumnRole::kTime]) continue;
      const bool is_bus = std::ranges::count(field, ':') == 2 && field.size() >= 12 && field.ends_with(".0");
      if (field.starts_with("GPU-")) columns[ColumnRole::kUuid] = i;
      if (is_bus) columns[ColumnRole::kBus] = i;
      const bool is_name =
          field.starts_with("NVIDIA") || field.starts_with("Tesla") || field.starts_with("AMD");
      if (is_name) columns[ColumnRole::kName] = i;
      const std::optional<std::int64_t> index = gpu_index(field);
      const bool is_other = std::ranges::any_of(fields, [&](std::string_view other) {
        return other.data() != field.data() && (is_watts(other) || (is_number(other) && !is_stamp(other)));
      });
      if (index && *index < kMostGpus && is_other && !columns[ColumnRole::kGpu])
        columns[ColumnRole::kGpu] = i;
    }
  }

  void find_power(const Fields& fields, Columns& columns) const {
    std::vector<std::size_t> watts;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i == columns[ColumnRole::kTime] || i == columns[ColumnRole::kGpu]) continue;
      if (is_watts(fields[i]) || fields[i].ends_with(" W")) watts.push_back(i);
      const bool is_decimal = detect_separator(row_.text) == ';' && parse_decimal(fields[i], ',');
      if (is_number(fields[i]) || is_decimal) numbers.push_back(i);
    }
    const bool is_nvidia = fields[*columns[ColumnRole::kTime]].find('/') != std::string_view::npos;
    const bool is_gpu = is_nvidia || columns[ColumnRole::kGpu] || columns[ColumnRole::kUuid];
    const auto add = [&](std::size_t at) {
      columns.power.push_back({.at = at,
                               .facts = {.meter = is_nvidia ? "nvidia-smi" : "table",
                                         .part = is_gpu ? "GPU" : "power",
                                         .scope = is_gpu ? PowerScope::kGpuBoard : PowerScope::kUnknown,
                                         .power_quantity = is_nvidia ? "power.draw" : "power",
                                         .is_replayed = true},
                               .has_unit = is_nvidia || !watts.empty()});
    };
    if (!chosen_.empty()) {
      add_chosen(fields, add, columns);
      return;
    }
    const std::vector<std::size_t>& found = watts.empty() ? numbers : watts;
    if (found.size() == 1) add(found.front());
    if (found.size() < 2) return;
    refuse_line(row_.line,
                "has no headings, and {} of its columns may be the power; name it: --power-column {}",
                found.size(), found.front() + 1);
  }

  template <class Add>
  void add_chosen(const Fields& fields, Add add, Columns& columns) const {
    for (const std::string& text : chosen_) {
      const auto [name, unit] = chosen_column(text);
      const std::optional<double> number = parse_decimal(name);
      if (!number || *number < 1 || *number > static_cast<double>(fields.size())) {
        throw Error(ErrorKind::kUsage,
                    "--power-column '{}': the log has no headings; give a number from 1 to {}", name,
                    fields.size());
      }
      const auto at = static_cast<std::size_t>(*number) - 1;
      if (columns[ColumnRole::kGpu] == at) columns[ColumnRole::kGpu].reset();
      add(at);
      columns.power.back().watts = unit.value_or(1);
      columns.power.back().has_unit = true;
    }
  }

  /// Gives the row as many fields as there are columns; false for a foreign line.
  bool fit_fields() {
    const std::size_t count = columns_->count;
    if (row_.fields.size() > count && columns_stamp()) join_stamp(row_.fields, *columns_stamp());
    if (row_.text.find(';') == std::string_view::npos) join_decimals(row_, count);
    if (row_.fields.size() == count + 1 && !columns_stamp() && is_stamp(row_.fields[0])) {
      carried_ = read_stamp(row_.fields[0]).value();
      row_.fields.erase(row_.fields.begin());
    }
    // turbostat leaves out what a processor has no value for, and aligned tables have no empty fields.
    const bool may_be_short = separator_ == '\t' || separator_ == kBlanks;
    if (row_.fields.size() < count && may_be_short && has_needed_fields()) row_.fields.resize(count);
    if (row_.fields.size() == count) return true;
    const auto time = columns_stamp();
    if (row_.fields.size() < count || (time && !is_stamp(row_.fields[*time]))) {
      return skip(fmt::format("has {} of {} fields", row_.fields.size(), count));
    }
    refuse_line(row_.line,
                "{} has {} fields where {} belong; if commas are decimal signs, record with LC_ALL=C",
                shown(row_.text), row_.fields.size(), count);
  }

  bool has_needed_fields() const {
    const std::size_t size = row_.fields.size();
    const bool has_time =
        !columns_stamp() || (*columns_stamp() < size && is_stamp(row_.fields[*columns_stamp()]));
    return has_time &&
           std::ranges::all_of(columns_->power, [&](const PowerColumn& c) { return c.at < size; });
  }

  /// turbostat's line of the whole machine has a dash for package, core and processor.
  bool is_summary() const {
    return std::ranges::all_of(columns_->topology, [&](std::size_t at) { return row_.fields[at] == "-"; });
  }

  bool take_stamp() {
    if (!columns_stamp()) {
      const auto found = std::ranges::find_if(row_.fields, is_stamp);
      if (found != row_.fields.end() && !carried_) {
        (*columns_)[ColumnRole::kTime] = static_cast<std::size_t>(found - row_.fields.begin());
      }
    }
    if (!columns_stamp()) {
      if (!carried_) {
        refuse_line(heading_line_ > 0 ? heading_line_ : row_.line,
                    "no column has a date and a time; record with a time stamp in each line");
      }
      row_.stamp = *carried_;
      return true;
    }
    std::string text(row_.fields[*columns_stamp()]);
    if (const auto date = (*columns_)[ColumnRole::kDate]) text = std::string(row_.fields[*date]) + " " + text;
    const Measured<Stamp> stamp = read_stamp(text);
    if (stamp.has_value()) {
      row_.stamp = stamp.value();
      return true;
    }
    // A date that no calendar has is a fault of the log; other texts are not readings.
    const bool is_date =
        text.size() > 8 && text.find_first_of("/-") != std::string::npos && is_whole(text.substr(0, 4));
    if (is_date) refuse_line(row_.line, "{}: {}; correct or remove the line", shown(text), stamp.reason());
    return skip("has neither a date and time nor Unix time where the time belongs");
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
  std::optional<char> separator_;
  std::string headings_;  ///< Empty for a table without.
  std::size_t heading_line_ = 0;
  std::vector<std::string> json_names_;
  std::optional<Stamp> carried_;  ///< Of a line that has a stamp alone.
};

/// "[N/A]", "[Not Supported]", "[Unknown Error]", "ERR!", "-".
bool is_missing(std::string_view field) {
  return field.starts_with('[') || field.starts_with("N/A") || field == "ERR!" || field.empty() ||
         field == "-" || field == "null" || field == "nan" || field == "NaN";
}

/// Labels of GPUs and machines over the whole log: which of them tell its parts apart.
class Labels {
 public:
  void note(const Row& row, const Columns& columns) {
    for (std::size_t role = 0; role < kColumnRoles; ++role) {
      const std::optional<std::size_t> at = columns.at[role];
      if (at && values_[role].size() < kMostLabels) values_[role].emplace(row.fields[*at]);
    }
    if (const auto at = columns[ColumnRole::kGpu]) {
      ++rows_;
      if (last_gpu_ == row.fields[*at]) ++in_a_row_;
      last_gpu_ = row.fields[*at];
    }
  }

  /// Whether the column taken for a GPU index changes like a temperature or a load.
  bool is_no_index() const {
    return count(ColumnRole::kGpu) > 1 &&
           static_cast<double>(in_a_row_) > kMostInARow * static_cast<double>(rows_);
  }

  /// The column whose values are the driver's indices; none if they contradict the other labels.
  std::optional<std::size_t> index_column(const Columns& columns) const {
    const std::size_t indices = count(ColumnRole::kIndex);
    const std::size_t gpus = count(ColumnRole::kGpu);
    const std::size_t others =
        std::max({count(ColumnRole::kUuid), count(ColumnRole::kBus), count(ColumnRole::kName)});
    if (std::max(indices, gpus) <= 1 && others > 1) return std::nullopt;
    return gpus > indices ? columns[ColumnRole::kGpu] : columns[ColumnRole::kIndex];
  }

 private:
  static constexpr std::size_t kMostLabels = 1024;

  std::size_t count(ColumnRole role) const { return values_[static_cast<std::size_t>(role)].size(); }

  std::size_t rows_ = 0;
  std::size_t in_a_row_ = 0;
  std::string last_gpu_;
  std::array<std::set<std::string, std::less<>>, kColumnRoles> values_;
};

class TableReader {
 public:
  TableReader(const std::string& text, TraceCollector& collector) : text_(text), collector_(collector) {}

  void read() {
    collector_.set_unit_hint("if the column has milliwatts, say --power-column NAME:mW");
    collector_.set_recording_hint(
        "record with a column that names the GPU, such as --query-gpu=timestamp,index,uuid,power.draw");
    survey();
    for (Rows rows(text_, collector_.options().power_columns, &collector_); rows.next();) {
      add(rows.row(), rows.columns());
    }
  }

 private:
  void survey() {
    double highest_guess = 0;
    bool has_guess = false;
    bool has_headings = false;
    for (Rows rows(text_, collector_.options().power_columns, nullptr); rows.next();) {
      labels_.note(rows.row(), rows.columns());
      has_headings = rows.has_headings();
      for (const PowerColumn& column : rows.columns().power) {
        if (!column.is_guess) continue;
        has_guess = true;
        highest_guess = std::max(highest_guess, parse_decimal(rows.row().fields[column.at]).value_or(0));
      }
    }
    if (!has_headings && labels_.is_no_index()) {
      throw Error(
          ErrorKind::kData,
          "has no headings, and a column of small whole numbers may be the index of a GPU or something "
          "else; record with headings");
    }
    if (has_guess && highest_guess <= kPercent) {
      throw Error(
          ErrorKind::kData,
          "columns named by GPUs alone may be watts or a load in percent; name them: --power-column GPU0:W");
    }
    if (has_guess) collector_.note("columns named by GPUs alone were read as watts");
  }

  void add(const Row& row, const Columns& columns) {
    const GpuIdentity gpu = find_gpu(row, columns);
    for (const PowerColumn& column : columns.power) {
      PowerReading reading = blank_reading();
      reading.power = watts(row, column);
      if (columns.power.size() == 1) add_details(row, columns, reading);
      const std::string key = make_key(row, columns) + column.facts.part;
      collector_.add(
          key, [&] { return make_facts(row, columns, column, gpu); }, {collector_.to_utc(row.stamp), reading},
          row.line);
    }
  }

  /// All labels together: `index` may be 0 in each line while another column tells the GPUs apart.
  static std::string make_key(const Row& row, const Columns& columns) {
    std::string key;
    for (const ColumnRole role : {ColumnRole::kHost, ColumnRole::kIndex, ColumnRole::kGpu, ColumnRole::kUuid,
                                  ColumnRole::kBus, ColumnRole::kName}) {
      if (const auto at = columns[role]) key.append(row.fields[*at]).append("\n");
    }
    return key;
  }

  GpuIdentity find_gpu(const Row& row, const Columns& columns) const {
    GpuIdentity gpu;
    if (const auto at = columns[ColumnRole::kUuid]) gpu.uuid = row.fields[*at];
    if (const auto at = columns[ColumnRole::kBus]) gpu.pci_address = row.fields[*at];
    const auto index = labels_.index_column(columns);
    const auto at = index ? index : columns[ColumnRole::kGpu];
    if (!at) return gpu;
    const std::string_view text = row.fields[*at];
    if (index) gpu.index = gpu_index(text);
    if (text.starts_with("GPU-") && gpu.uuid.empty() && !gpu.index) gpu.uuid = text;
    if (at == columns[ColumnRole::kIndex] && !gpu.index) {
      refuse_line(row.line, "{} is not the index of a GPU; correct or remove the line", shown(text));
    }
    return gpu;
  }

  static PowerSourceFacts make_facts(const Row& row, const Columns& columns, const PowerColumn& column,
                                     const GpuIdentity& gpu) {
    PowerSourceFacts facts = column.facts;
    facts.resolution = last_digit(row.fields[column.at], column);
    if (facts.part == "GPU") {
      facts.gpu = gpu;
      if (gpu.index) {
        facts.part += fmt::format(" {}", *gpu.index);
      } else if (!gpu.uuid.empty() || !gpu.pci_address.empty()) {
        facts.part += " " + (gpu.uuid.empty() ? gpu.pci_address : gpu.uuid);
      } else if (const auto at = columns[ColumnRole::kGpu]) {
        facts.part += " " + std::string(row.fields[*at]);
      }
      if (const auto at = columns[ColumnRole::kName]) facts.part += " " + std::string(row.fields[*at]);
    }
    if (const auto at = columns[ColumnRole::kHost]) {
      facts.part = std::string(row.fields[*at]) +
                   (columns.power.size() > 1 || facts.gpu != GpuIdentity{} ? " " + facts.part : "");
    }
    return facts;
  }

  /// "200.00 W" is written to 0.01 W; 0 for what is no number.
  static Watts last_digit(std::string_view field, const PowerColumn& column) {
    const auto [digits, unit] = amount_in(field);
    const std::size_t point = digits.find_first_of(".,");
    if (digits.empty()) return Watts{0};
    const std::size_t decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
    return Watts{watts_per_unit(unit).value_or(column.watts) *
                 std::pow(10.0, -static_cast<double>(decimals))};
  }

  static Measured<Watts> watts(const Row& row, const PowerColumn& column) {
    const std::string_view field = row.fields[column.at];
    if (is_missing(field)) return missing(field.size() > 40 ? "[...]" : std::string(field));
    const auto [digits, unit] = amount_in(field);
    const std::optional<double> own = watts_per_unit(unit);
    const bool is_decimal_comma = row.point == ',' || detect_separator(row.text) == ';';
    std::optional<double> value = parse_decimal(digits);
    if (!value && is_decimal_comma) value = parse_decimal(digits, ',');
    if (!value || (!unit.empty() && !own)) {
      refuse_line(row.line, "the power {} is not a number of watts; correct or remove the line",
                  shown(field));
    }
    if (*value < 0)
      refuse_line(row.line, "the power {} is negative; correct or remove the line", shown(field));
    const double watts = *value * own.value_or(column.watts);
    const bool is_board = column.facts.scope == PowerScope::kGpuBoard;
    if (own || column.has_unit || watts <= (is_board ? kMostOfBoardWithoutUnit : kMostWithoutUnit))
      return Watts{watts};
    refuse_line(row.line,
                "{} in a column without a unit is too much for watts; say --power-column {}:mW, or {}:W if "
                "it is right",
                shown(field), column.at + 1, column.at + 1);
  }

  /// Temperature, clock and limit are read where they are numbers. Throws for a power without a unit beside a
  /// limit with one: a decimal comma was taken for a separator.
  static void add_details(const Row& row, const Columns& columns, PowerReading& reading) {
    const auto number = [&](ColumnRole role) -> std::optional<double> {
      const auto at = columns[role];
      if (!at) return std::nullopt;
      const std::string_view digits = amount_in(row.fields[*at]).digits;
      return parse_decimal(digits, digits.find(',') == std::string_view::npos ? '.' : ',');
    };
    if (const auto celsius = number(ColumnRole::kTemperature)) reading.temperature = Celsius{*celsius};
    if (const auto clock = number(ColumnRole::kClock)) reading.clock = Hertz{*clock * 1e6};
    const auto limit = columns[ColumnRole::kLimit];
    if (!limit) return;
    if (const auto watts = number(ColumnRole::kLimit)) reading.limit = Watts{*watts};
    const std::string_view power = row.fields[columns.power.front().at];
    if (is_missing(power) || is_missing(row.fields[*limit]) ||
        is_watts(power) == is_watts(row.fields[*limit]))
      return;
    if (row.point == ',') return;
    refuse_line(row.line,
                "has numbers with and without a unit, as if a decimal comma split one; record with LC_ALL=C");
  }

  const std::string& text_;
  TraceCollector& collector_;
  Labels labels_;
};

void collect(const std::string& text, TraceCollector& collector) { TableReader(text, collector).read(); }

bool is_like(const std::string& text) {
  const std::vector<std::string> none;
  try {
    Rows rows(text, none, nullptr);
    while (rows.line() < kLinesToRecognise && rows.next()) return true;
    return rows.has_columns();
  } catch (const Error&) {
    return true;  // It is a table, and collect() says what is wrong with it.
  }
}

}  // namespace

PowerLogFormat entry_table() { return {"table", false, is_like, collect}; }

}  // namespace gpubench
