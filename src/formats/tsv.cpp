#include <algorithm>

#include "formats/entries.h"
#include "formats/parts/delimited.h"

namespace gpubench {
namespace {

/// There is no quoting in such files.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string render(const Page& page) { return delimited(page.data, '\t', on_one_line); }

}  // namespace

ReportFormat entry_tsv() { return {"tsv", "all values, separated by tabs", render, true}; }

}  // namespace gpubench
