#pragma once
// A value that may be absent, and then says why. Absent is not zero.

#include <optional>
#include <string>
#include <utility>

namespace gpubench {

/// Made by `absent("why")`; converts to any Reading.
struct Absent {
  std::string reason;

  friend bool operator==(const Absent&, const Absent&) = default;
};

inline Absent absent(std::string reason) { return {std::move(reason)}; }

/// A T, or the reason why there is none. A default Reading is absent with the reason "not measured".
template <class T>
class Reading {
 public:
  Reading() : reason_("not measured") {}
  Reading(T value) : value_(std::move(value)) {}           // NOLINT(google-explicit-constructor)
  Reading(Absent why) : reason_(std::move(why.reason)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return value_.has_value(); }
  /// The value; throws std::bad_optional_access when absent.
  const T& value() const { return value_.value(); }
  /// Why the value is absent; empty when it is present.
  const std::string& reason() const { return reason_; }

  friend bool operator==(const Reading&, const Reading&) = default;

 private:
  std::optional<T> value_;
  std::string reason_;
};

}  // namespace gpubench
