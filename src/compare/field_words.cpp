#include "compare/field_words.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/byte_size.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text_table.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

struct Words {
  const std::string& unit;

  std::string operator()(const Absent&) const { return {}; }
  std::string operator()(bool is_so) const { return is_so ? "yes" : "no"; }
  std::string operator()(std::int64_t count) const {
    return unit == "B" ? byte_text(Bytes{count}) : with_separators(count);
  }
  std::string operator()(double number) const {
    return unit.empty() ? fmt::format("{:g}", number) : prefixed_text(number, unit);
  }
  std::string operator()(const std::string& text) const { return one_line(text); }
  std::string operator()(const std::vector<std::string>& words) const { return join(words, " "); }
  std::string operator()(const NamedValues& values) const {
    std::vector<std::string> parts;
    for (const auto& [name, value] : values) parts.push_back(one_line(name) + " " + (*this)(value));
    return join(parts);
  }
  template <class List>
  std::string operator()(const List&) const {
    return {};
  }
};

}  // namespace

std::string prefixed_text(double number, const std::string& unit) {
  struct Prefix {
    const char* name;
    double factor;
  };
  static constexpr std::array<Prefix, 8> kPrefixes{
      {{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}, {"m", 1e-3}, {"µ", 1e-6}}};
  const double largest = unit == "s" ? 1 : 1e15;
  Prefix chosen{"", 1};
  for (const Prefix& prefix : kPrefixes) {
    if (prefix.factor > largest) continue;
    chosen = prefix;
    // What would round to a thousand has the next prefix.
    if (std::abs(number) >= 0.9995 * prefix.factor) break;
  }
  if (number == 0 || !std::isfinite(number)) chosen = {"", 1};
  const double scaled = number / chosen.factor;
  const int decimals = std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, chosen.name, unit);
}

std::string field_words(const FieldValue& value, const std::string& unit) {
  return std::visit(Words{unit}, value);
}

}  // namespace gpubench
