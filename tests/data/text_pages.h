#pragma once
// Sample pages for text formats, with long lines and markup.

#include "gpubench/record/page.h"

namespace gpubench::test {

/// Returns a page with paragraphs of each tone, a table with notes, line charts with logarithmic and linear
/// axes, bar charts with and without baseline, and intervals.
Page long_text_page();

/// Returns a page with Markdown, HTML, escape sequences, text direction marks and invalid UTF-8 in all texts.
Page hostile_text_page();

}  // namespace gpubench::test
