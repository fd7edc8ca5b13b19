#pragma once
// What a table of operations says, as a page for writers.

#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Units of the figures in charts: FLOP/s and bytes/s are shown in multiples of this.
inline constexpr double kGiga = 1e9;

/// A table with the name of its file.
struct NamedOps {
  std::string name;
  OpsRecord ops;
};

/// One table: what was measured and how well it went in words, the rows, their repetitions, the matrix of
/// types where there are several, the curve of a sweep, and the machine.
Page ops_page(const OpsRecord& ops, const std::string& name);

/// The sections of that page on the rows.
std::vector<Section> op_sections(const OpsRecord& ops);

/// Bad for a wrong result, an error or a crash; a warning for what could not be run.
Tone tone_of_failure(RowStatus status);

/// "Latency and bandwidth", "Bus bandwidth", "Time": of collectives.
void add_network(std::vector<Section>& sections, const OpsRecord& ops);

}  // namespace gpubench
