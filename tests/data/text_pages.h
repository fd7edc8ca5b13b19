#pragma once
// Constructed pages for formats that are text: long lines, all that can be markup.

#include "gpubench/record/page.h"

namespace gpubench::test {

/// Paragraphs of each tone, a table with notes, lines on a logarithmic and on an even axis, bars with and
/// without a baseline, intervals.
Page long_text_page();

/// Markup of Markdown and HTML, escape sequences, marks of direction and bytes that are not UTF-8 wherever a
/// page has text.
Page hostile_text_page();

}  // namespace gpubench::test
