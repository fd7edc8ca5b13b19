#include "pages/run/run_page.h"

#include <utility>

#include "pages/environment.h"
#include "pages/record_data.h"
#include "pages/run/run_sections.h"

namespace gpubench {
namespace {

std::vector<RowFigures> timed_rows(const RunRecord& run) {
  std::vector<RowFigures> rows = rows_of(run);
  std::erase_if(rows, [](const RowFigures& row) { return !row.seconds.has_value(); });
  return rows;
}

std::vector<Section> sections_of(const RunRecord& run, const std::vector<RowFigures>& timed,
                                 std::optional<double> price_kwh) {
  std::vector<Section> sections{cases_section(run)};
  for (Section& section : energy_sections(run, price_kwh)) sections.push_back(std::move(section));
  for (Section& section : chart_sections(run, timed)) sections.push_back(std::move(section));
  Section environment = environment_section(run.tool, run.environment, run.published.has_value());
  if (!environment.blocks.empty()) sections.push_back(std::move(environment));
  return sections;
}

}  // namespace

Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh) {
  const std::vector<RowFigures> timed = timed_rows(run);
  return {name, run_summary(run, timed), sections_of(run, timed, price_kwh),
          record_data(case_fields(), run.cases, name)};
}

std::vector<Section> run_sections(const RunRecord& run, const std::string& name,
                                  std::optional<double> price_kwh) {
  std::vector<Section> sections = sections_of(run, timed_rows(run), price_kwh);
  for (Section& section : sections) section.title = name + ": " + section.title;
  return sections;
}

Section environments_section(const std::vector<NamedRun>& runs) {
  std::vector<Surroundings> all;
  for (const NamedRun& run : runs) all.push_back({run.name, &run.run.tool, &run.run.environment});
  return environments_section(all);
}

}  // namespace gpubench
