#include "record/field_value.h"

#include <cmath>
#include <limits>

namespace gpubench {

void assign(std::int64_t& target, const FieldValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool is_broken = std::holds_alternative<double>(value);
  if (number == nullptr)
    throw Error(ErrorKind::kData, "{} is expected", is_broken ? "a whole number" : "a number");
  target = *number;
}

void assign(double& target, const FieldValue& value) {
  if (std::holds_alternative<Missing>(value)) {
    target = std::numeric_limits<double>::quiet_NaN();
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    target = static_cast<double>(*whole);
  } else if (const auto* number = std::get_if<double>(&value)) {
    target = *number;
  } else {
    throw Error(ErrorKind::kData, "a number is expected");
  }
}

void assign(std::vector<std::int64_t>& target, const FieldValue& value) {
  // Readers take every list of numbers for one of doubles, which hold counts and bytes exactly up to 2^53.
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value)) {
    target = *whole;
    return;
  }
  std::vector<double> numbers;
  assign(numbers, value);
  target.clear();
  for (const double number : numbers) {
    // Beyond that a double skips whole numbers.
    const bool is_whole = number == std::floor(number) && std::abs(number) <= 0x1p53;
    if (!is_whole) throw Error(ErrorKind::kData, "a list of whole numbers is expected");
    target.push_back(static_cast<std::int64_t>(number));
  }
}

}  // namespace gpubench
