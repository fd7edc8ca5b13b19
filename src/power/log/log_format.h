#pragma once
// Descriptions of power logs: where their times, powers and devices are.

#include <regex.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench {

/// Meaning of a value. The names in descriptions are those of log_format.cpp.
enum class LogRole {
  kTime,
  kPower,
  kDevice,
  kUuid,
  kPci,
  kName,
  kHost,
  kPart,
  kTemperature,
  kClock,
  kLimit,
  kElapsed,
  kWhere  ///< Condition: rows whose value does not match are ignored.
};

/// A text with placeholders, such as "GPU {device}: {power:W}". A blank matches blanks, and {*} any text.
class Pattern {
 public:
  /// Throws a usage Error for an unknown placeholder.
  explicit Pattern(std::string_view text);

  /// Placeholders in order: "power:W" without braces.
  const std::vector<std::string>& placeholders() const { return placeholders_; }
  /// True for a pattern of one placeholder, which matches any line.
  bool is_bare() const { return is_bare_; }
  /// True for "&TEXT", which a line may contain anywhere and repeatedly.
  bool is_repeated() const { return is_repeated_; }

  /// Returns the texts of the placeholders, and the end of the match; nothing if the text does not match.
  std::optional<std::vector<std::string_view>> match(std::string_view text, std::size_t* end = nullptr) const;

 private:
  std::shared_ptr<regex_t> regex_;
  std::vector<std::string> placeholders_;
  std::vector<std::size_t> groups_;  // Regular expression groups of the placeholders.
  bool is_bare_;
  bool is_repeated_;
};

struct LogField {
  LogRole role = LogRole::kTime;
  std::string place{};   ///< Heading, column number from 1 or JSON path; "a|b": the first that the log has.
  std::string detail{};  ///< Unit of a power, format of a time; may be empty.
  std::optional<Pattern> condition{};  ///< Pattern of the values that kWhere keeps.
  PowerSourceFacts facts{};            ///< Part, scope, device and averaging time of a power.
  bool is_guess = false;               ///< The readings must prove that the values tell devices apart.
};

struct LogFormat {
  std::string name{};
  std::vector<std::string> signature{};  ///< Places that identify a log of this tool.
  std::optional<Pattern> begin{};        ///< First line of a log of this tool.
  std::string refusal{};                 ///< Reason and remedy if the tool's logs cannot be used.
  std::string wide{};                    ///< Heading of two columns.
  std::vector<Pattern> lines{};          ///< Patterns of lines; empty for tables and JSON.
  std::vector<LogField> fields{};        ///< Patterns have one field per placeholder, in order.
};

/// Parses a description: "time=Date+Time:%d.%m.%Y %H:%M:%S power=3:W device=2". Keys: the roles, and "line"
/// for patterns; of tools also "has", "begins", "wide" and, at the end, "refuse". Throws a usage Error that
/// starts with `option`.
LogFormat parse_log_format(const std::string& text, const std::string& option, bool is_of_tool = false);

/// A tool whose logs are recognized.
struct LogTool {
  std::string name;         ///< Value of --log-format.
  const char* command;      ///< Records a log; empty for tools whose logs cannot be used.
  const char* description;  ///< See parse_log_format().
};

/// All tools, in the order of documentation: tools.def.
const std::vector<LogTool>& log_tools();

/// Returns the scope that a name suggests: "GPU Power", "package"; "VDD_GPU_SOC" if `is_rail`.
PowerScope scope_of_name(std::string_view name, bool is_rail = false);

/// Heading of a column, or key of a JSON value.
struct Heading {
  std::string name{};  ///< In lower case, without the unit.
  std::string text{};  ///< As written, without a unit in brackets.
  std::string unit{};  ///< Text in brackets, or unit of power at the end of the name; empty if missing.
};
Heading parse_heading(std::string_view text);

/// Returns true if a place, without alternatives, names the heading; sets the text of its placeholder.
bool is_place(std::string_view place, const Heading& heading, std::string& captured);

std::vector<std::string> list_alternatives(const std::string& place);

/// Column of a log that no tool describes.
struct LogColumn {
  std::string place;       ///< For LogField::place.
  Heading heading{};       ///< Empty for tables without headings.
  std::string_view value;  ///< In the first row.
};

/// Derives a description: a time, and exactly one power with its unit in the heading or behind the value.
/// Returns what is missing.
Measured<LogFormat> infer_format(const std::vector<LogColumn>& columns);

}  // namespace gpubench
