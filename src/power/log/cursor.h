#pragma once
// Takes a short text apart from the left.

#include <string_view>

namespace gpubench {

/// Once something that was asked for is not there, `is_good` stays false.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  /// A whole number of so many digits; 0 where there is none.
  int digits(std::size_t least, std::size_t most);
  void skip(char character);
  /// Skips one of these and says which.
  char skip_one_of(std::string_view characters);
  void skip_spaces();
  /// The text up to the next space.
  std::string_view word();

  bool starts_with(std::string_view characters) const;
  std::string_view rest() const { return rest_; }
  bool is_good() const { return is_good_; }
  /// Whether all was read, and was good.
  bool is_done() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

/// Without the spaces and tabulators at both ends.
std::string_view trimmed(std::string_view text);

bool is_digit(char character);

}  // namespace gpubench
