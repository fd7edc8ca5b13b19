#pragma once
// A table of a page as HTML.

#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// With a caption, units in the headings, the notes of cells numbered below it, and what page.js needs to
/// sort it. `id` starts every id inside and is unique in the document.
std::string html_table(const Table& table, const std::string& id);

/// Name of the class of a tone, and the sign and the word that say it without colour; empty where it needs
/// none.
std::string tone_class(Tone tone);
std::string tone_sign(Tone tone);
std::string tone_word(Tone tone);

}  // namespace gpubench
