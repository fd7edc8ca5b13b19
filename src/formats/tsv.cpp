#include "formats/entries.h"
#include "formats/parts/plain_text.h"

namespace gpubench {
namespace {

// There is no quoting in such files, and most of them pass a terminal.
std::string render(const Page& page) { return delimited(page.data, '\t', plain_text); }

}  // namespace

ReportFormat entry_tsv() { return {"tsv", "all values, separated by tabs", render, true}; }

}  // namespace gpubench
