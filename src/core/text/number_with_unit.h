#pragma once
// What durations and sizes have in common: numbers followed by units.

#include <string>
#include <string_view>
#include <vector>

namespace gpubench {

struct NumberWithUnit {
  double number = 0;
  std::string unit;  ///< As written; empty where there is none.
};

/// The numbers of `text` with the letters after each: "1h30m" is {1, "h"}, {30, "m"}. A number has digits and
/// at most one point: no sign and no exponent. Empty where `text` is anything else.
std::vector<NumberWithUnit> numbers_with_units(std::string_view text);

}  // namespace gpubench
