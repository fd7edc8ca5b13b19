#pragma once
// Formats numbers with three significant digits.

#include <string>

namespace gpubench {

/// Formats 1234567 as "1,234,567".
std::string with_separators(long long number);

/// Formats "0.0412", "2.40", "123", "45,678"; "-" if not finite.
std::string figure_text(double figure);

/// Formats 0.0123 as "1.2 %", 1.5 as "150 %".
std::string percent_text(double part);

/// Formats "6.50 TFLOP/s", "3.50 µs". Seconds get no prefix above 1.
std::string prefixed_text(double number, const std::string& unit);

}  // namespace gpubench
