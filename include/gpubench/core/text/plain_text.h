#pragma once
// Text of unknown origin, made fit for a terminal, an error or a table.
//
// Stateless, hence safe to call from several threads.

#include <string>
#include <string_view>

namespace gpubench {

/// Whether a terminal, or whatever lays text out, could take the character for a command: control characters,
/// ends of lines and paragraphs, and marks that turn the direction of writing.
bool is_command(char32_t code);

/// `text` without what is_command(), on one line: line ends and tabs become spaces, the rest and bytes that
/// are not UTF-8 become '?'.
std::string plain_text(std::string_view text);

}  // namespace gpubench
