// Logs of `nvidia-smi --query-gpu=timestamp,power.draw,... --format=csv -lms 100`.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "gpubench/core/text/quantities.h"
#include "power/log/power_log.h"
#include "power/log/text_lines.h"
#include "power/log/trace_collector.h"

namespace gpubench {
namespace {

/// Fields of a line, and what its numbers have between whole and fraction: a comma in many countries.
struct CsvLine {
  std::vector<std::string_view> fields;
  char point = '.';
};

bool is_whole(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "71 W", but neither "0" nor "70.71 W".
bool is_fraction_with_unit(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = trimmed(text.substr(digits));
  return digits > 0 && (unit == "W" || unit == "MHz");
}

/// Whether nothing but one comma is between the two.
bool are_adjacent(std::string_view left, std::string_view right) {
  return left.data() + left.size() + 1 == right.data();
}

/// Splits at ';' where the line has one, else at ','.
CsvLine split_csv(std::string_view line) {
  return {split_fields(line, line.find(';') == std::string_view::npos ? ',' : ';'), '.'};
}

/// Puts "230" and "71 W" together where more fields than `columns` are there: a comma right between digits,
/// whose number ends with a unit, is a decimal sign. All others stay as they are.
void join_decimals(CsvLine& line, std::size_t columns) {
  if (line.fields.size() <= columns) return;
  std::vector<std::string_view> joined;
  for (const std::string_view field : line.fields) {
    const bool is_decimal = !joined.empty() && is_whole(joined.back()) && is_fraction_with_unit(field) &&
                            are_adjacent(joined.back(), field);
    if (is_decimal) {
      joined.back() = {joined.back().data(), joined.back().size() + 1 + field.size()};
      line.point = ',';
    } else {
      joined.push_back(field);
    }
  }
  line.fields = std::move(joined);
}

/// Positions of the columns that are read; all others are passed over.
struct NvidiaColumns {
  std::size_t count = 2;
  std::size_t stamp = 0;
  std::size_t power = 1;
  std::string power_name = "power.draw";
  std::optional<std::size_t> index;
  std::optional<std::size_t> uuid;
  std::optional<std::size_t> bus;
  std::optional<std::size_t> name;
  std::optional<std::size_t> temperature;
  std::optional<std::size_t> clock;
  std::optional<std::size_t> limit;
};

/// "power.draw [W]" without its unit, which the values tell.
std::string name_of(std::string_view heading) {
  std::string name(trimmed(heading.substr(0, heading.find('['))));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

/// The first of these names that is there: the best ones come first.
std::optional<std::size_t> find(const std::vector<std::string>& names,
                                std::initializer_list<std::string_view> wanted) {
  for (const std::string_view name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  return std::nullopt;
}

/// Whether the line has headings instead of values.
bool is_nvidia_heading(std::string_view line) {
  return line.find("power.draw") != std::string_view::npos || line.starts_with("timestamp");
}

/// Throws where there is no column of time or of power.
NvidiaColumns nvidia_columns(const CsvLine& headings, std::size_t line) {
  std::vector<std::string> names;
  for (const std::string_view heading : headings.fields) names.push_back(name_of(heading));
  const auto stamp = find(names, {"timestamp"});
  const auto power = find(names, {"power.draw.instant", "power.draw", "power.draw.average"});
  if (!stamp) refuse_line(line, "has no heading timestamp; record with --query-gpu=timestamp,power.draw");
  if (!power) refuse_line(line, "has no heading power.draw; record with --query-gpu=timestamp,power.draw");
  NvidiaColumns columns;
  columns.count = names.size();
  columns.stamp = *stamp;
  columns.power = *power;
  columns.power_name = names[*power];
  columns.index = find(names, {"index"});
  columns.uuid = find(names, {"uuid", "gpu_uuid"});
  columns.bus = find(names, {"pci.bus_id", "gpu_bus_id"});
  columns.name = find(names, {"name", "gpu_name"});
  columns.temperature = find(names, {"temperature.gpu"});
  columns.clock = find(names, {"clocks.current.sm", "clocks.sm", "clocks.current.graphics", "clocks.gr"});
  columns.limit = find(names, {"enforced.power.limit", "power.limit"});
  return columns;
}

/// A kind of value: what it may be and how much.
struct ValueKind {
  const char* name;
  std::string_view unit;  ///< As the values have it; left out with `nounits`.
  double factor;          ///< To the base unit.
  double least;
  double most;
};

constexpr ValueKind kPower{"power", "W", 1, 0, 1e6};
constexpr ValueKind kTemperature{"temperature", "C", 1, -100, 1000};
constexpr ValueKind kClock{"clock", "MHz", 1e6, 0, 1e6};

/// "[N/A]", "[Not Supported]", "[Unknown Error]", "ERR!".
bool is_missing(std::string_view field) {
  return field.starts_with('[') || field == "N/A" || field == "ERR!" || field.empty();
}

/// Reads the values of one line.
class Values {
 public:
  Values(const CsvLine& line, std::size_t number) : line_(line), number_(number) {}

  template <class Unit>
  Reading<Unit> reading(std::size_t column, const ValueKind& kind) {
    const std::string_view field = line_.fields[column];
    if (is_missing(field)) return absent(field.size() > 40 ? "[...]" : std::string(field));
    return Unit{value(field, kind) * kind.factor};
  }

  /// A line of which some values have a unit and others do not was split at a decimal comma.
  bool is_mixed() const { return with_unit_ > 0 && without_unit_ > 0; }

 private:
  double value(std::string_view field, const ValueKind& kind) {
    std::string_view digits = field;
    if (digits.ends_with(kind.unit)) {
      digits = trimmed(digits.substr(0, digits.size() - kind.unit.size()));
      ++with_unit_;
    } else if (kind.unit != "C") {
      ++without_unit_;
    }
    const std::optional<double> value = parse_decimal(digits, line_.point);
    if (!value) refuse(field, kind, fmt::format("is no number of {}", kind.unit));
    if (*value < 0 && kind.least == 0) refuse(field, kind, "is negative");
    if (*value < kind.least || *value > kind.most) refuse(field, kind, "cannot be");
    return *value;
  }

  [[noreturn]] void refuse(std::string_view field, const ValueKind& kind, const std::string& what) const {
    refuse_line(number_, "the {} {} {}; correct or remove the line", kind.name, shown(field), what);
  }

  const CsvLine& line_;
  std::size_t number_;
  int with_unit_ = 0;
  int without_unit_ = 0;
};

/// "GPU 0 NVIDIA H200"; without an index by what else is unique.
std::string part_of(const CsvLine& line, const NvidiaColumns& columns) {
  std::string part = "GPU";
  for (const auto& column : {columns.index, columns.uuid, columns.bus}) {
    if (!column) continue;
    part += " " + std::string(line.fields[*column]);
    break;
  }
  if (columns.name) part += " " + std::string(line.fields[*columns.name]);
  return part;
}

PowerSourceFacts facts_of(const CsvLine& line, const NvidiaColumns& columns, std::size_t number) {
  PowerSourceFacts facts;
  facts.meter = "nvidia-smi";
  facts.part = part_of(line, columns);
  facts.scope = PowerScope::kGpuBoard;
  facts.power_quantity =
      columns.power_name == "power.draw.instant" ? "instantaneous power" : columns.power_name;
  if (columns.power_name == "power.draw.average") facts.averaging = Seconds{1};
  facts.is_replayed = true;
  if (!columns.index) return facts;
  const std::string_view index = line.fields[*columns.index];
  if (!is_whole(index) || index.size() > 4) {
    refuse_line(number, "{} is no index of a GPU; correct or remove the line", shown(index));
  }
  facts.device = "cuda:" + std::string(index);
  return facts;
}

class Parser {
 public:
  explicit Parser(const PowerLogOptions& options) : stamps_(options) {}

  PowerLog parse(const std::string& text) {
    TextLines lines(text);
    while (lines.next()) {
      if (!lines.line().empty()) read(lines);
    }
    if (const std::string note = stamps_.note(); !note.empty()) log_.notes.push_back(note);
    collector_.finish(log_);
    return std::move(log_);
  }

 private:
  void read(const TextLines& lines) {
    if (is_nvidia_heading(lines.line())) {
      columns_ = nvidia_columns(split_csv(lines.line()), lines.number());
    } else if (lines.is_last_and_open() && !has_end(lines.line())) {
      log_.notes.emplace_back("the last line has no end and was left out");
    } else {
      read_values(lines.line(), lines.number());
    }
  }

  /// A number at the end of an open line may have lost digits; a unit, or what stands for no value, may not.
  static bool has_end(std::string_view line) {
    return line.ends_with(" W") || line.ends_with("MHz") || line.ends_with(']');
  }

  void read_values(std::string_view text, std::size_t number) {
    const CsvLine line = split(text, number);
    const std::string_view field = line.fields[columns_.stamp];
    const Reading<Stamp> stamp = parse_stamp(field);
    if (!stamp.has_value()) {
      refuse_line(number, "{}: {}; correct or remove the line", shown(field), stamp.reason());
    }
    const std::size_t trace = collector_.trace(
        part_of(line, columns_), [&] { return facts_of(line, columns_, number); }, number);
    collector_.add(trace, {stamps_.utc_of(stamp.value()), reading_of(line, number)}, number);
  }

  CsvLine split(std::string_view text, std::size_t number) const {
    CsvLine line = split_csv(text);
    if (text.find(';') != std::string_view::npos) {
      // Where the comma does not separate it may be the decimal sign.
      if (line.fields.size() > columns_.power &&
          line.fields[columns_.power].find(',') != std::string_view::npos) {
        line.point = ',';
      }
    } else {
      join_decimals(line, columns_.count);
    }
    if (line.fields.size() == columns_.count) return line;
    refuse_line(number,
                "{} has {} fields where {} belong; if its numbers have a decimal comma, record "
                "with LC_ALL=C, else correct or remove the line",
                shown(text), line.fields.size(), columns_.count);
  }

  PowerReading reading_of(const CsvLine& line, std::size_t number) const {
    PowerReading reading = blank_reading();
    Values values(line, number);
    reading.power = values.reading<Watts>(columns_.power, kPower);
    if (columns_.temperature)
      reading.temperature = values.reading<Celsius>(*columns_.temperature, kTemperature);
    if (columns_.clock) reading.clock = values.reading<Hertz>(*columns_.clock, kClock);
    if (columns_.limit) reading.limit = values.reading<Watts>(*columns_.limit, kPower);
    if (!values.is_mixed()) return reading;
    refuse_line(number,
                "has numbers with and without a unit, as if a decimal comma split one; record with LC_ALL=C");
  }

  NvidiaColumns columns_;
  StampReader stamps_;
  TraceCollector collector_;
  PowerLog log_{"nvidia-smi", false, {}, {}};
};

/// By its first line: headings, or a stamp and a value.
bool is_like(const std::string& text) {
  TextLines lines(text);
  while (lines.next()) {
    if (lines.line().empty()) continue;
    const CsvLine line = split_csv(lines.line());
    return is_nvidia_heading(lines.line()) ||
           (line.fields.size() > 1 && parse_stamp(line.fields[0]).has_value());
  }
  return false;
}

PowerLog parse(const std::string& text, const PowerLogOptions& options) {
  return Parser(options).parse(text);
}

}  // namespace

PowerLogFormat nvidia_smi_format() { return {"nvidia-smi", is_like, parse}; }

}  // namespace gpubench
