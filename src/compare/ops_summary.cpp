#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "compare/field_words.h"
#include "compare/op_names.h"
#include "compare/ops_sections.h"
#include "compare/run_cautions.h"
#include "gpubench/core/nearest.h"
#include "report/figure_text.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostLongest = 3;

/// "cpu (Processor 9000)" for each device that rows name.
std::string devices_text(const OpsRecord& ops) {
  std::vector<std::string> devices;
  for (const OpRecord& row : ops.rows) {
    const auto known = std::find_if(ops.environment.devices.begin(), ops.environment.devices.end(),
                                    [&](const DeviceRecord& device) { return device.name == row.device; });
    const bool has_model = known != ops.environment.devices.end() && !known->model.empty();
    const std::string text = one_line(row.device + (has_model ? " (" + known->model + ")" : ""));
    if (std::find(devices.begin(), devices.end(), text) == devices.end()) devices.push_back(text);
  }
  return join(devices);
}

std::string outcome_text(const std::vector<OpRecord>& rows) {
  std::map<OpStatus, std::size_t> counts;
  for (const OpRecord& row : rows) ++counts[row.status];
  if (counts.size() == 1 && counts.contains(OpStatus::kOk)) {
    return rows.size() == 1 ? "Its one row is ok" : fmt::format("All {} rows are ok", rows.size());
  }
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) parts.push_back(fmt::format("{} {}", count, to_string(status)));
  return fmt::format("Of {} {}: {}", rows.size(), rows.size() == 1 ? "row" : "rows", join(parts));
}

Paragraph what_was_run(const OpsRecord& ops) {
  if (ops.rows.empty()) return {"The file has no row: nothing was measured, or nothing yet.", Tone::kWarning};
  const std::string host = ops.environment.host.empty() ? "" : " of " + one_line(ops.environment.host);
  const std::string started = ops.tool.started_at.empty() ? "" : ", started " + one_line(ops.tool.started_at);
  return {fmt::format("On {}{}{}. {}.", devices_text(ops), host, started, outcome_text(ops.rows))};
}

using ShareOf = Reading<double> (*)(const OpRecord&);

const OpRecord* best_by(const std::vector<OpRecord>& rows, ShareOf share_of) {
  const OpRecord* best = nullptr;
  for (const OpRecord& row : rows) {
    // What a cache holds is no share of the memory's bandwidth.
    const Reading<double> share = share_of(row);
    if (row.status != OpStatus::kOk || !share.has_value() || share.value() > 1) continue;
    if (best == nullptr || share.value() > share_of(*best).value()) best = &row;
  }
  return best;
}

/// "Nearest to the peak: matmul ... at 78 %; to the bandwidth of memory: ..."
void add_best(std::vector<Paragraph>& summary, const OpsRecord& ops) {
  const OpNames names(ops.rows);
  std::vector<std::string> parts;
  const auto add = [&](const char* to_what, ShareOf share_of) {
    const OpRecord* best = best_by(ops.rows, share_of);
    if (best == nullptr) return;
    parts.push_back(
        fmt::format("{}: {} at {}", to_what, names.whole(*best), percent_text(share_of(*best).value())));
  };
  add("to the best product of the device", flops_share);
  add("to the bandwidth of its memory", bandwidth_share);
  if (!parts.empty()) summary.push_back({"Nearest " + join(parts, "; ") + "."});
}

void add_longest(std::vector<Paragraph>& summary, const OpsRecord& ops) {
  const OpNames names(ops.rows);
  std::vector<std::pair<double, const OpRecord*>> times;
  for (const OpRecord& row : ops.rows) {
    const Reading<Estimate> time = usable_time(row);
    if (time.has_value()) times.emplace_back(time.value().value, &row);
  }
  if (times.size() < 2) return;
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  times.resize(std::min(times.size(), kMostLongest));
  std::vector<std::string> parts;
  for (const auto& [seconds, row] : times)
    parts.push_back(names.whole(*row) + " with " + prefixed_text(seconds, "s"));
  summary.push_back({"Longest calls: " + join(parts, "; ") + "."});
}

void add_bounds(std::vector<Paragraph>& summary, const std::vector<OpRecord>& rows) {
  std::map<std::string, std::size_t> counts;
  for (const OpRecord& row : rows) {
    const Reading<std::string> held = bound(row);
    if (row.status == OpStatus::kOk && held.has_value()) ++counts[held.value()];
  }
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} in {}", name, count));
  if (!parts.empty()) summary.push_back({"What holds calls back, in so many rows: " + join(parts) + "."});
}

}  // namespace

std::vector<Paragraph> ops_summary(const OpsRecord& ops) {
  std::vector<Paragraph> summary = publication_cautions(ops.published);
  summary.push_back(what_was_run(ops));
  add_best(summary, ops);
  add_longest(summary, ops);
  add_bounds(summary, ops.rows);
  for (Paragraph& caution : ops_cautions(ops)) summary.push_back(std::move(caution));
  return summary;
}

}  // namespace gpubench
