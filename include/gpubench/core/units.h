#pragma once
// Physical quantities as types: adding seconds to bytes does not compile.

#include <compare>
#include <cstdint>

namespace gpubench {

/// A number with a unit in its type. `value` is in the base unit (seconds, bytes, ...).
template <class Tag, class Number = double>
struct Quantity {
  Number value{};

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr auto operator<=>(const Quantity&,
                                    const Quantity&) = default;  // NOLINT(modernize-use-nullptr)
};

using Seconds = Quantity<struct SecondsTag>;
using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Joules = Quantity<struct JoulesTag>;
using Watts = Quantity<struct WattsTag>;
using Celsius = Quantity<struct CelsiusTag>;
using Hertz = Quantity<struct HertzTag>;

}  // namespace gpubench
