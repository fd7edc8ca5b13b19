#include "gpubench/record/parameter.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

std::int64_t read_whole_number(const Values& values, const ParameterUse& use, const std::string& word) {
  if (!word.empty() && word == use.word) return use.word_value;
  const auto least = static_cast<std::int64_t>(values.least.value_or(0));
  const std::int64_t most =
      values.most ? static_cast<std::int64_t>(*values.most) : std::numeric_limits<std::int64_t>::max();
  const std::optional<std::int64_t> value = parse_whole(word);
  require(value && *value >= least && *value <= most, "give a whole number from {} to {}{}{}", least, most,
          *use.word == '\0' ? "" : ", or ", use.word);
  return *value;
}

FieldValue read_by_kind(const FieldFacts& field, const ParameterUse& use, const std::string& word) {
  switch (field.values.kind) {
    case Kind::kBoolean:
      require(word == "true" || word == "false", "give true or false");
      return word == "true";
    case Kind::kWholeNumber:
      return read_whole_number(field.values, use, word);
    case Kind::kNumber: {
      const std::optional<double> number = parse_decimal(word);
      require(number.has_value(), "give a number");
      return *number;
    }
    default: {
      const std::vector<std::string>& names = field.values.names;
      const bool is_known = names.empty() || std::ranges::find(names, word) != names.end();
      require(is_known, "{}", is_known ? "" : unknown_name_message(field.label, word, names));
      return word;
    }
  }
}

}  // namespace

FieldValue read_parameter(const FieldFacts& field, const ParameterUse& use, const std::string& word,
                          const std::string& name) {
  if (use.read == nullptr && field.values.kind == Kind::kNumber && field.unit == "s") {
    const double seconds = parse_duration(word, name).value;
    require(seconds >= field.values.least.value_or(0), "{} {}: must be above 0", name, word);
    return seconds;
  }
  try {
    return use.read != nullptr ? use.read(word) : read_by_kind(field, use, word);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "{} {}: {}", name, word, error.what());
  }
}

std::string to_text(const FieldValue& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* const real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const auto* const flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return {};
}

void require_room(std::size_t rows) {
  require(rows <= kMostRows,
          "the plan has more than {} rows; lower --repeat, shorten the lists, or use several runs",
          kMostRows);
}

void require_distinct(const std::vector<FieldValue>& values, const std::string& name) {
  std::vector<std::string> words = mapped(values, to_text);
  std::ranges::sort(words);
  const auto twin = std::ranges::adjacent_find(words);
  require(twin == words.end(), "{}: {} is listed twice; use --repeat to measure it again", name,
          twin == words.end() ? "" : *twin);
}

}  // namespace gpubench
