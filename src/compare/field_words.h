#pragma once
// Single values of a record as words for people.

#include <string>

#include "gpubench/record/field_table.h"

namespace gpubench {

/// Three digits with the prefix that suits the magnitude: "6.50 TFLOP/s", "3.50 µs"; seconds get no larger
/// unit.
std::string prefixed_text(double number, const std::string& unit);

/// A value in the unit that suits its magnitude: "64 GiB", "fp32 6.50 TFLOP/s, bf16 26.0 TFLOP/s", "yes".
/// Empty for what is absent, for an empty text, and for lists of figures.
std::string field_words(const FieldValue& value, const std::string& unit);

}  // namespace gpubench
