#pragma once
// Where something was measured, in words and as tables.

#include <string>
#include <vector>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Tool, machine, devices with their peaks, and datasets with where their files come from. Of a publication,
/// of which nothing is known but what its own fields say, without the first; none where nothing is known.
void add_environment(std::vector<Section>& sections, const ToolRecord& tool, const Environment& environment,
                     bool is_published);

/// What was measured where; the name of its file. Points into a record.
struct Surroundings {
  std::string name;
  const ToolRecord* tool;
  const Environment* environment;
};

/// Environments side by side: a column each, a row a field that one of them has. What differs from the first
/// is marked.
Section environments_section(const std::vector<Surroundings>& all);

/// "On cpu (Processor 9000) of desk, suite quick, started 2024-02-03T04:05:06Z.", of these devices.
std::string whereabouts(const std::vector<std::string>& devices, const std::string& suite,
                        const ToolRecord& tool, const Environment& environment);

}  // namespace gpubench
