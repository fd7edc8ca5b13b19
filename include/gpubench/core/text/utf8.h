#pragma once
// Characters of UTF-8: their width in a terminal, and text of unknown origin made safe for one. Stateless,
// hence safe to call from several threads.

#include <cstddef>
#include <string>
#include <string_view>

namespace gpubench {

/// A character's code and its length in bytes.
struct Character {
  char32_t code;
  std::size_t length;
};

constexpr char32_t kReplacementCharacter = 0xfffd;

/// The character at the start of `text`, which is not empty. What is no valid UTF-8 is U+FFFD, one byte long.
Character first_character(std::string_view text);

/// Whether first_character() found valid UTF-8: U+FFFD itself takes three bytes.
constexpr bool is_valid(const Character& character) {
  return character.code != kReplacementCharacter || character.length > 1;
}

/// How many columns of a terminal `text` takes: characters of East Asia are two wide, accents that combine
/// with the character before take none. A byte that is not UTF-8 counts as one.
std::size_t display_width(std::string_view text);

/// As many whole characters from the start of `text`, with their accents, as `width` columns hold.
std::string_view fitting(std::string_view text, std::size_t width);

/// Whether a terminal, or whatever lays text out, could take the character for a command: control characters,
/// ends of lines and paragraphs, and marks that turn the direction of writing.
bool is_command(char32_t code);

/// `text` without what is_command(), on one line: line ends and tabs become spaces, the rest and bytes that
/// are not UTF-8 become '?'.
std::string plain_text(std::string_view text);

}  // namespace gpubench
