#pragma once
// A value, or the reason why it is missing. Missing is not zero.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace gpubench {

/// Reason for a missing value, made by `missing("why")`. Converts to any Measured.
struct Missing {
  std::string reason;

  friend bool operator==(const Missing&, const Missing&) = default;
};

inline Missing missing(std::string reason) { return {std::move(reason)}; }
template <class First, class... More>
Missing missing(fmt::format_string<First, More...> reason, First&& first, More&&... more) {
  return {fmt::format(reason, std::forward<First>(first), std::forward<More>(more)...)};
}

/// A T, or the reason why it is missing. The default is missing, with the reason "not measured".
template <class T>
class Measured {
 public:
  Measured() : why_{"not measured"} {}
  Measured(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Measured(Missing why) : why_(std::move(why)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return value_.has_value(); }
  /// Throws std::bad_optional_access if the value is missing.
  const T& value() const& { return value_.value(); }
  T value() && { return std::move(value_).value(); }
  T value_or(T other) const { return value_.value_or(std::move(other)); }
  /// Returns the reason; empty if there is a value.
  const std::string& reason() const { return why_.reason; }
  const Missing& why() const { return why_; }

  /// Returns function(value), or the reason. `function` may be a pointer to a member or return a Measured.
  template <class Function>
  auto then(Function function) const {
    using Made = decltype(gpubench::Measured(std::invoke(function, std::declval<const T&>())));
    return has_value() ? Made(std::invoke(function, *value_)) : Made(why_);
  }

  friend bool operator==(const Measured&, const Measured&) = default;

 private:
  std::optional<T> value_;
  Missing why_;
};

/// Name and value, e.g. {"loss", 0.41}.
using NamedValues = std::vector<std::pair<std::string, double>>;

}  // namespace gpubench
