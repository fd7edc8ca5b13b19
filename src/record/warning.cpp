#include "gpubench/record/warning.h"

#include <algorithm>

namespace gpubench {
namespace {

bool are_alike(const Warning& a, const Warning& b) {
  return a.kind == b.kind && ((a.figure && b.figure) || a.text == b.text);
}

}  // namespace

void add_warning(const Warning& warning, std::size_t row, std::vector<WarningGroup>& groups) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const WarningGroup& known) { return are_alike(known.worst, warning); });
  if (group == groups.end()) group = groups.insert(group, {warning, {}});
  group->rows.push_back(row);
  if (warning.figure > group->worst.figure) group->worst = warning;
}

}  // namespace gpubench
