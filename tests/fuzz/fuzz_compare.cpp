// Any two runs beside each other, in every report format.

#include <cstdint>
#include <string_view>

#include "gpubench/core/error.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/run_page.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"
#include "require.h"

namespace {

using namespace gpubench;

/// The halves of the text are two documents; a text that has no half is compared with itself.
std::vector<NamedRun> runs_of(std::string_view text) {
  const std::size_t middle = text.find("\n---\n");
  const std::string_view first = text.substr(0, middle);
  const std::string_view second = middle == std::string_view::npos ? first : text.substr(middle + 5);
  return {{"first.json", run_from_json(parse_document(first))},
          {"second.json", run_from_json(parse_document(second))}};
}

void render(const Page& page) {
  for (const ReportFormat& format : report_formats()) format.render(page);
}

void compare_all(const std::vector<NamedRun>& runs) {
  std::vector<Contender> contenders;
  for (const NamedRun& run : runs) {
    for (Contender& contender : contenders_of(run.run, run.name)) contenders.push_back(std::move(contender));
  }
  const Comparison comparison = compare(std::move(contenders), false);
  Page page = comparison_page(comparison, Detail::kCharts);
  page.data = comparison_data(comparison);
  page.sections.push_back(environments_section(runs));
  render(page);
  if (!comparison.duels.empty()) render(gate_page(comparison, gate(comparison, 0.05)));
  render(run_page(runs.front().run, runs.front().name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    compare_all(runs_of({reinterpret_cast<const char*>(bytes), size}));
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::kData, "a refusal is a data Error");
  }
  return 0;
}
