#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "compare/op_names.h"
#include "compare/ops_sections.h"
#include "compare/run_cautions.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

using Rows = std::vector<OpRecord>;

/// A wrong result is the worst news, a row that does not fit the least.
void add_failures(std::vector<Paragraph>& cautions, const Rows& rows) {
  const OpNames names(rows);
  std::map<OpStatus, std::vector<std::string>> failed;
  for (const OpRecord& row : rows) {
    if (row.status != OpStatus::kOk) failed[row.status].push_back(names.whole(row));
  }
  for (const auto& [status, who] : failed) {
    const bool is_bad = status == OpStatus::kWrong || status == OpStatus::kError;
    cautions.push_back({fmt::format("Not ok, {}: {}.", to_string(status), counted(who)),
                        is_bad ? Tone::kBad : Tone::kWarning});
  }
}

void add_slow(std::vector<Paragraph>& cautions, const Rows& rows) {
  const OpNames names(rows);
  std::vector<std::string> slow;
  for (const OpRecord& row : rows) {
    if (is_slow(row)) slow.push_back(names.whole(row));
  }
  if (slow.empty()) return;
  cautions.push_back({"Slow, below 1 % of what their bound allows: " + counted(slow) + ".", Tone::kWarning});
}

void add_warnings(std::vector<Paragraph>& cautions, const Rows& rows) {
  const auto warned =
      std::count_if(rows.begin(), rows.end(), [](const OpRecord& row) { return !row.warnings.empty(); });
  if (warned == 0) return;
  cautions.push_back({fmt::format("The times of {} of {} {} are doubtful; see the warnings below the table.",
                                  warned, rows.size(), rows.size() == 1 ? "row" : "rows"),
                      Tone::kWarning});
}

void add_protocol(std::vector<Paragraph>& cautions, const OpsRecord& ops) {
  if (ops.published || ops.settings.protocol != "s4") return;
  cautions.push_back(
      {"Protocol s4: each time is that of a single call after one other, so that none has an interval.",
       Tone::kWarning});
}

}  // namespace

std::vector<Paragraph> ops_cautions(const OpsRecord& ops) {
  std::vector<Paragraph> cautions;
  add_failures(cautions, ops.rows);
  add_slow(cautions, ops.rows);
  add_warnings(cautions, ops.rows);
  add_protocol(cautions, ops);
  return cautions;
}

}  // namespace gpubench
