#include "compare/run_energy.h"

#include <set>
#include <utility>

#include "compare/case_names.h"
#include "compare/energy_table.h"
#include "compare/record_table.h"
#include "compare/run_power_charts.h"
#include "compare/run_sustained.h"
#include "gpubench/compare/contender.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// The devices of the run, called by their names.
std::vector<Contender> devices_of(const RunRecord& run) {
  std::vector<Contender> devices = contenders_of(run, "");
  for (Contender& device : devices) device.label = device.device.name;
  return devices;
}

/// A row for each source of power of each case; without rows where none was read.
Table sources_table(const RunRecord& run) {
  const CaseNames names(run.cases);
  std::vector<EnergyRecord> sources;
  std::vector<std::string> cases;
  std::set<std::string> notes;
  for (const CaseRecord& c : run.cases) {
    for (const EnergyRecord& source : c.energy) {
      sources.push_back(source);
      cases.push_back(names.whole(c));
      for (const std::string& note : source.notes) notes.insert(one_line(source.meter + ": " + note));
    }
  }
  if (sources.empty()) return {};
  Table table = record_table("Sources of power, over the timed epochs", energy_fields(), sources, false, 0);
  table.columns.insert(table.columns.begin(), {"case"});
  for (std::size_t i = 0; i < cases.size(); ++i) table.rows[i].insert(table.rows[i].begin(), {cases[i]});
  table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  return table;
}

Section energy_section(const RunRecord& run, std::optional<double> price_kwh) {
  Section section{"Energy", {}};
  const std::vector<Contender> devices = devices_of(run);
  for (Paragraph& paragraph : energy_absences(devices)) section.blocks.emplace_back(std::move(paragraph));
  for (Table& table : std::vector<Table>{energy_table(devices, price_kwh), sources_table(run)}) {
    if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
  }
  for (Chart& chart : power_charts(run)) section.blocks.emplace_back(std::move(chart));
  return section;
}

Section sustained_section(const RunRecord& run) {
  Section section{"First minute and sustained", {}};
  if (Table table = sustained_table(run); !table.rows.empty()) section.blocks.emplace_back(std::move(table));
  return section;
}

Section state_section(const RunRecord& run) {
  Section section{"Temperature and clock", {}};
  for (Chart& chart : state_charts(run)) section.blocks.emplace_back(std::move(chart));
  return section;
}

}  // namespace

std::vector<Section> energy_sections(const RunRecord& run, std::optional<double> price_kwh) {
  std::vector<Section> sections;
  for (Section& section :
       std::vector<Section>{energy_section(run, price_kwh), sustained_section(run), state_section(run)}) {
    if (!section.blocks.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace gpubench
