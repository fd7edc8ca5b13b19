// Logs of `nvidia-smi --query-gpu=timestamp,power.draw,... --format=csv -lms 100`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/fields.h"
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

/// What is read; all other columns are passed over.
enum Column { kStamp, kPower, kIndex, kUuid, kBus, kName, kTemperature, kClock, kLimit };

/// The headings of each: the best ones come first.
const std::array<std::vector<std::string>, kLimit + 1> kHeadings{
    {{"timestamp"},
     {"power.draw.instant", "power.draw", "power.draw.average"},
     {"index"},
     {"uuid", "gpu_uuid"},
     {"pci.bus_id", "gpu_bus_id"},
     {"name", "gpu_name"},
     {"temperature.gpu"},
     {"clocks.current.sm", "clocks.sm", "clocks.current.graphics", "clocks.gr"},
     {"enforced.power.limit", "power.limit"}}};

/// Where each is, as a log without headings has them.
struct NvidiaColumns {
  std::size_t count = 2;
  std::string power_name = "power.draw";
  std::array<std::optional<std::size_t>, kHeadings.size()> at{kStamp, kPower};
};

/// "power.draw [W]" without its unit, which the values tell.
std::string name_of(std::string_view heading) {
  std::string name(trimmed(heading.substr(0, heading.find('['))));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

/// Whether the line has headings instead of values.
bool is_nvidia_heading(std::string_view line) {
  return line.find("power.draw") != std::string_view::npos || line.starts_with("timestamp");
}

/// Throws where there is no column of time or of power.
NvidiaColumns nvidia_columns(std::string_view line, std::size_t number) {
  const std::vector<std::string> names = mapped(split_csv(line).fields, name_of);
  NvidiaColumns columns{names.size(), "", {}};
  for (std::size_t i = 0; i < kHeadings.size(); ++i) {
    const auto found = std::ranges::find_first_of(kHeadings[i], names);
    if (found == kHeadings[i].end()) continue;
    columns.at[i] = static_cast<std::size_t>(std::ranges::find(names, *found) - names.begin());
    if (i == kPower) columns.power_name = *found;
  }
  for (const Column needed : {kStamp, kPower}) {
    if (columns.at[needed]) continue;
    refuse_line(number, "has no heading {}; record with --query-gpu=timestamp,power.draw",
                needed == kStamp ? "timestamp" : "power.draw");
  }
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

constexpr ValueKind kWatts{"power", "W", 1, 0, 1e6};
constexpr ValueKind kDegrees{"temperature", "C", 1, -100, 1000};
constexpr ValueKind kMegahertz{"clock", "MHz", 1e6, 0, 1e6};

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
  for (const Column column : {kIndex, kUuid, kBus}) {
    if (!columns.at[column]) continue;
    part += " " + std::string(line.fields[*columns.at[column]]);
    break;
  }
  if (columns.at[kName]) part += " " + std::string(line.fields[*columns.at[kName]]);
  return part;
}

PowerSourceFacts facts_of(const CsvLine& line, const NvidiaColumns& columns, std::size_t number) {
  PowerSourceFacts facts{.meter = "nvidia-smi",
                         .part = part_of(line, columns),
                         .scope = PowerScope::kGpuBoard,
                         .power_quantity = columns.power_name,
                         .is_replayed = true};
  if (columns.power_name == "power.draw.instant") facts.power_quantity = "instantaneous power";
  if (columns.power_name == "power.draw.average") facts.averaging = Seconds{1};
  if (!columns.at[kIndex]) return facts;
  const std::string_view index = line.fields[*columns.at[kIndex]];
  if (!is_whole(index) || index.size() > 4) {
    refuse_line(number, "{} is no index of a GPU; correct or remove the line", shown(index));
  }
  facts.device = "cuda:" + std::string(index);
  return facts;
}

CsvLine split(std::string_view text, const NvidiaColumns& columns, std::size_t number) {
  CsvLine line = split_csv(text);
  const std::size_t power = *columns.at[kPower];
  if (text.find(';') == std::string_view::npos) {
    join_decimals(line, columns.count);
  } else if (line.fields.size() > power && line.fields[power].find(',') != std::string_view::npos) {
    line.point = ',';  // Where the comma does not separate it may be the decimal sign.
  }
  if (line.fields.size() == columns.count) return line;
  refuse_line(number,
              "{} has {} fields where {} belong; if its numbers have a decimal comma, record "
              "with LC_ALL=C, else correct or remove the line",
              shown(text), line.fields.size(), columns.count);
}

PowerReading reading_of(const CsvLine& line, const NvidiaColumns& columns, std::size_t number) {
  PowerReading reading = blank_reading();
  Values values(line, number);
  reading.power = values.reading<Watts>(*columns.at[kPower], kWatts);
  if (columns.at[kTemperature]) {
    reading.temperature = values.reading<Celsius>(*columns.at[kTemperature], kDegrees);
  }
  if (columns.at[kClock]) reading.clock = values.reading<Hertz>(*columns.at[kClock], kMegahertz);
  if (columns.at[kLimit]) reading.limit = values.reading<Watts>(*columns.at[kLimit], kWatts);
  if (!values.is_mixed()) return reading;
  refuse_line(number,
              "has numbers with and without a unit, as if a decimal comma split one; record with LC_ALL=C");
}

void add_line(std::string_view text, std::size_t number, const NvidiaColumns& columns,
              TraceCollector& collector) {
  const CsvLine line = split(text, columns, number);
  const std::string_view field = line.fields[*columns.at[kStamp]];
  const Reading<Stamp> stamp = parse_stamp(field);
  if (!stamp.has_value()) {
    refuse_line(number, "{}: {}; correct or remove the line", shown(field), stamp.reason());
  }
  collector.add(
      part_of(line, columns), [&] { return facts_of(line, columns, number); },
      {collector.utc_of(stamp.value()), reading_of(line, columns, number)}, number);
}

/// A number at the end of an open line may have lost digits; a unit, or what stands for no value, may not.
bool has_end(std::string_view line) {
  return line.ends_with(" W") || line.ends_with("MHz") || line.ends_with(']');
}

void collect(const std::string& text, TraceCollector& collector) {
  NvidiaColumns columns;
  for (TextLines lines(text); lines.next();) {
    if (lines.line().empty()) continue;
    if (is_nvidia_heading(lines.line())) {
      columns = nvidia_columns(lines.line(), lines.number());
    } else if (lines.is_last_and_open() && !has_end(lines.line())) {
      collector.leave_out_end();
    } else {
      add_line(lines.line(), lines.number(), columns, collector);
    }
  }
}

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

}  // namespace

PowerLogFormat nvidia_smi_format() { return {"nvidia-smi", false, is_like, collect}; }

}  // namespace gpubench
