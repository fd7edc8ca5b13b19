#include "power/log/cursor.h"

#include <algorithm>
#include <charconv>

namespace gpubench {
namespace {

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

}  // namespace

bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

int Cursor::digits(std::size_t least, std::size_t most) {
  std::string_view after = rest_;
  const std::string_view taken = take_digits(after).substr(0, most);
  if (taken.size() < least) is_good_ = false;
  int number = 0;
  std::from_chars(taken.data(), taken.data() + taken.size(), number);
  rest_.remove_prefix(taken.size());
  return number;
}

void Cursor::skip(char character) { skip_one_of({&character, 1}); }

char Cursor::skip_one_of(std::string_view characters) {
  if (!starts_with(characters)) {
    is_good_ = false;
    return '\0';
  }
  const char found = rest_.front();
  rest_.remove_prefix(1);
  return found;
}

void Cursor::skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

std::string_view Cursor::word() {
  const std::string_view taken = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(taken.size());
  return taken;
}

bool Cursor::starts_with(std::string_view characters) const {
  return !rest_.empty() && characters.find(rest_.front()) != std::string_view::npos;
}

}  // namespace gpubench
