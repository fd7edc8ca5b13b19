#include "record/field_value.h"

#include <cmath>
#include <limits>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

template <class T>
const T& require(const FieldValue& value, const char* what) {
  if (const T* present = std::get_if<T>(&value)) return *present;
  throw Error(ErrorKind::kData, std::string(what) + " is expected");
}

// An empty list does not tell what it is a list of; readers take it for one of numbers.
template <class List>
List list(const FieldValue& value, const char* what) {
  const auto* numbers = std::get_if<std::vector<double>>(&value);
  return numbers != nullptr && numbers->empty() ? List() : require<List>(value, what);
}

}  // namespace

void assign(bool& target, const FieldValue& value) { target = require<bool>(value, "true or false"); }

void assign(std::int64_t& target, const FieldValue& value) {
  const bool is_broken = std::holds_alternative<double>(value);
  target = require<std::int64_t>(value, is_broken ? "a whole number" : "a number");
}

void assign(double& target, const FieldValue& value) {
  if (std::holds_alternative<Missing>(value)) {
    target = std::numeric_limits<double>::quiet_NaN();
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    target = static_cast<double>(*whole);
  } else {
    target = require<double>(value, "a number");
  }
}

void assign(std::string& target, const FieldValue& value) { target = require<std::string>(value, "text"); }

void assign(std::vector<double>& target, const FieldValue& value) {
  target = require<std::vector<double>>(value, "a list of numbers");
}

void assign(std::vector<std::int64_t>& target, const FieldValue& value) {
  // Readers take every list of numbers for one of doubles, which hold counts and bytes exactly up to 2^53.
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value)) {
    target = *whole;
    return;
  }
  target.clear();
  for (const double number : require<std::vector<double>>(value, "a list of numbers")) {
    // Beyond that a double skips whole numbers.
    const bool is_whole = number == std::floor(number) && std::abs(number) <= 0x1p53;
    if (!is_whole) throw Error(ErrorKind::kData, "a list of whole numbers is expected");
    target.push_back(static_cast<std::int64_t>(number));
  }
}

void assign(std::vector<std::string>& target, const FieldValue& value) {
  target = list<std::vector<std::string>>(value, "a list of texts");
}

void assign(std::vector<Phase>& target, const FieldValue& value) {
  target = list<std::vector<Phase>>(value, "a list of objects");
}

void assign(std::vector<Warning>& target, const FieldValue& value) {
  target = list<std::vector<Warning>>(value, "a list of objects");
}

void assign(NamedValues& target, const FieldValue& value) {
  target = require<NamedValues>(value, "an object of numbers");
}

void assign(NamedSeries& target, const FieldValue& value) {
  // An object without a member does not tell either.
  const auto* values = std::get_if<NamedValues>(&value);
  const bool is_empty = values != nullptr && values->empty();
  target = is_empty ? NamedSeries() : require<NamedSeries>(value, "an object of lists of numbers");
}

}  // namespace gpubench
