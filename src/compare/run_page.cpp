#include "gpubench/compare/run_page.h"

#include <utility>

#include "compare/run_cases.h"
#include "compare/run_charts.h"
#include "compare/run_data.h"
#include "compare/run_energy.h"
#include "compare/run_environment.h"
#include "compare/run_summary.h"

namespace gpubench {
namespace {

std::vector<Section> sections_of(const RunRecord& run, std::optional<double> price_kwh) {
  std::vector<Section> sections{cases_section(run)};
  for (Section& section : energy_sections(run, price_kwh)) sections.push_back(std::move(section));
  for (Section& section : chart_sections(run)) sections.push_back(std::move(section));
  Section environment = environment_section(run);
  if (!environment.blocks.empty()) sections.push_back(std::move(environment));
  return sections;
}

}  // namespace

Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh) {
  return {name, run_summary(run), sections_of(run, price_kwh), run_data(run, name)};
}

std::vector<Section> run_sections(const RunRecord& run, const std::string& name,
                                  std::optional<double> price_kwh) {
  std::vector<Section> sections = sections_of(run, price_kwh);
  for (Section& section : sections) section.title = name + ": " + section.title;
  return sections;
}

}  // namespace gpubench
