#pragma once
// Text of unknown origin, made fit for a terminal.

#include <string>
#include <vector>

namespace gpubench {

/// `text` without what a terminal could take for a command: line ends and tabs become spaces, other control
/// characters, marks that turn the direction of writing, and bytes that are not UTF-8 become '?'.
std::string plain_text(const std::string& text);

/// `text`, plain, with "…" in place of what is beyond `width` columns, at least 1.
std::string clipped(const std::string& text, std::size_t width);

/// The words of `text`, plain, in lines of at most `width` columns; words that are longer stand alone. One
/// empty line for a text without words.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace gpubench
