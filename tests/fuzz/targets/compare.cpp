// Comparisons of two runs, one document per line, in all formats. A single run is compared with itself.

#include "compare/rows.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/run_page.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

std::vector<NamedRun> make_runs(std::string_view input) {
  std::vector<NamedRun> runs;
  for (const std::string& line : list_lines(input, 2)) {
    runs.push_back({std::to_string(runs.size()) + ".json", run_from_json(parse_document(line))});
  }
  if (runs.size() == 1) runs.push_back(runs.front());
  return runs;
}

void render(const Page& page) {
  for (const ReportFormat& format : report_formats()) format.render(page);
}

void compare_all(const std::vector<NamedRun>& runs) {
  std::vector<Candidate> candidates;
  for (const NamedRun& run : runs) {
    for (Candidate& candidate : make_candidates(run.run, run.name))
      candidates.push_back(std::move(candidate));
  }
  const Comparison comparison = compare(std::move(candidates), false);
  render(comparison_report(comparison, runs));
  if (!comparison.versus_baseline.empty()) render(gate_page(comparison, gate(comparison, {{nullptr, 0.05}})));
  render(run_page(runs.front().run, runs.front().name));
}

void read(std::string_view input) {
  accepts([&] {
    const std::vector<NamedRun> runs = make_runs(input);
    if (!runs.empty()) compare_all(runs);
  });
}

}  // namespace

Target entry_compare() { return {Shape::kJsonLines, read}; }

}  // namespace gpubench::fuzz
