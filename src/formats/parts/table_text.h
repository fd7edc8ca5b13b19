#pragma once
// Tables of a page as aligned text.

#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// Heading and rows, each line ended by a newline, without the title and the notes; cells with a note have
/// its number (see cell_notes.h) behind. A table wider than `width` has its widest column of text wrapped.
/// All text is plain (see plain_text.h).
std::string table_text(const Table& table, std::size_t width);

}  // namespace gpubench
