#include "pages/ops_page.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "pages/environment.h"
#include "pages/record_table.h"
#include "pages/words.h"

namespace gpubench {
namespace {

using Rows = std::vector<OpRecord>;

constexpr std::size_t kMostLongest = 3;

std::string name_of(const OpRecord& row, const RowNames& names) {
  return one_line(names.of(identity_of(row)));
}

std::string outcome_text(const Rows& rows) {
  std::map<RowStatus, std::size_t> counts;
  for (const OpRecord& row : rows) ++counts[row.status];
  if (counts.size() == 1 && counts.contains(RowStatus::kOk)) {
    return rows.size() == 1 ? "Its one row is ok" : fmt::format("All {} rows are ok", rows.size());
  }
  const auto text_of = [](const auto& entry) {
    return fmt::format("{} {}", entry.second, to_string(entry.first));
  };
  return fmt::format("Of {}: {}", counted(rows.size(), "row"), join(mapped(counts, text_of)));
}

Paragraph what_was_run(const OpsRecord& ops) {
  if (ops.rows.empty()) return caution("The file has no row: nothing was measured, or nothing yet.");
  const std::string where = whereabouts(devices_of(ops.rows), "", ops.tool, ops.environment);
  return {fmt::format("{} {}.", where, outcome_text(ops.rows))};
}

/// "Nearest to the peak: matmul ... at 78 %; to the bandwidth of memory: ..."
void add_best(std::vector<Paragraph>& summary, const Rows& rows, const RowNames& names) {
  std::vector<std::string> parts;
  const auto add = [&](const char* to_what, Reading<double> (*share_of)(const OpRecord&)) {
    std::optional<std::pair<double, const OpRecord*>> best;
    for (const OpRecord& row : rows) {
      const Reading<double> share = share_of(row);
      if (row.status != RowStatus::kOk || !share.has_value()) continue;
      if (!best || share.value() > best->first) best = {share.value(), &row};
    }
    if (!best) return;
    parts.push_back(
        fmt::format("{}: {} at {}", to_what, name_of(*best->second, names), percent_text(best->first)));
  };
  add("to the best product of the device", flops_share);
  add("to the bandwidth of its memory", bandwidth_share);
  if (!parts.empty()) summary.push_back({"Nearest " + join(parts, "; ") + "."});
}

void add_longest(std::vector<Paragraph>& summary, const Rows& rows, const RowNames& names) {
  std::vector<std::pair<double, const OpRecord*>> times;
  for (const OpRecord& row : rows) {
    const Reading<Estimate> time = usable_time(row);
    if (time.has_value()) times.emplace_back(time.value().value, &row);
  }
  if (times.size() < 2) return;
  std::ranges::stable_sort(times, std::greater(), [](const auto& timed) { return timed.first; });
  std::vector<std::string> parts;
  std::set<std::string> named;  // Of repetitions the longest.
  for (const auto& [seconds, row] : times) {
    const std::string name = name_of(*row, names);
    if (parts.size() == kMostLongest || !named.insert(name).second) continue;
    parts.push_back(name + " with " + prefixed_text(seconds, "s"));
  }
  summary.push_back({"Longest calls: " + join(parts, "; ") + "."});
}

void add_bounds(std::vector<Paragraph>& summary, const Rows& rows) {
  std::map<std::string, std::size_t> counts;
  for (const OpRecord& row : rows) {
    const Reading<std::string> held = bound(row);
    if (row.status == RowStatus::kOk && held.has_value()) ++counts[held.value()];
  }
  if (counts.empty()) return;
  const auto text_of = [](const auto& entry) {
    return fmt::format("{} {}", entry.first, counted(entry.second, "row"));
  };
  summary.push_back({"Limited by: " + join(mapped(counts, text_of)) + "."});
}

/// A wrong result is the worst news, a row that does not fit the least.
void add_failures(std::vector<Paragraph>& cautions, const Rows& rows, const RowNames& names) {
  std::map<RowStatus, std::vector<std::string>> failed;
  for (const OpRecord& row : rows) {
    if (row.status != RowStatus::kOk) failed[row.status].push_back(name_of(row, names));
  }
  for (const auto& [status, who] : failed) {
    cautions.push_back(
        {fmt::format("Not ok, {}: {}.", to_string(status), counted(who)), tone_of_failure(status)});
  }
}

void add_slow(std::vector<Paragraph>& cautions, const Rows& rows, const RowNames& names) {
  std::vector<std::string> slow;
  for (const OpRecord& row : rows) {
    if (is_slow(row)) slow.push_back(name_of(row, names));
  }
  if (!slow.empty())
    cautions.push_back(caution("Slow, below 1 % of what their nearest bound allows: {}.", counted(slow)));
}

void add_warnings(std::vector<Paragraph>& cautions, const Rows& rows) {
  const auto warned = std::ranges::count_if(rows, [](const OpRecord& row) { return !row.warnings.empty(); });
  if (warned == 0) return;
  cautions.push_back(caution("The times of {} of {} are doubtful; see the warnings below the table.", warned,
                             counted(rows.size(), "row")));
}

/// What was measured and how well it went, then what to mind.
std::vector<Paragraph> ops_summary(const OpsRecord& ops) {
  const RowNames names(identities_of(ops.rows));
  std::vector<Paragraph> summary = publication_cautions(ops.published);
  summary.push_back(what_was_run(ops));
  add_best(summary, ops.rows, names);
  add_longest(summary, ops.rows, names);
  add_bounds(summary, ops.rows);
  add_failures(summary, ops.rows, names);
  add_slow(summary, ops.rows, names);
  add_warnings(summary, ops.rows);
  if (ops.published || ops.settings.protocol != "s4") return summary;
  summary.push_back(caution(
      "Protocol s4: each time is that of a single call after one other, so that none has an interval."));
  return summary;
}

}  // namespace

Tone tone_of_failure(RowStatus status) {
  const bool is_bad =
      status == RowStatus::kWrong || status == RowStatus::kError || status == RowStatus::kCrashed;
  return is_bad ? Tone::kBad : Tone::kWarning;
}

Page ops_page(const OpsRecord& ops, const std::string& name) {
  Page page{name, ops_summary(ops), op_sections(ops), record_data(op_fields(), ops.rows, name)};
  if (!ops.published) add_environment(page.sections, ops.tool, ops.environment, false);
  return page;
}

}  // namespace gpubench
