// Runs of one machine, a document a line, as one.

#include "fuzz/documents.h"
#include "fuzz/pieces.h"
#include "gpubench/record/edit.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

constexpr std::size_t kMostRuns = 4;

void read(std::string_view input) {
  accepts([&] {
    std::vector<NamedRun> runs;
    for (const std::string& line : list_lines(input, kMostRuns)) {
      runs.push_back({std::to_string(runs.size()) + ".json", run_from_json(parse_document(line))});
    }
    if (!runs.empty()) require_same_again(merged(runs), run_document, run_from_json);
  });
}

}  // namespace

Target entry_merge() { return {Shape::kJsonLines, read}; }

}  // namespace gpubench::fuzz
