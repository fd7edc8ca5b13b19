#include "app/run/device_reports.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/api/peak.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

std::string subject(const PeakPoint& point) {
  if (point.kind == PeakKind::kGemm) return "matrix product " + point.precision;
  if (point.kind == PeakKind::kConvolution) return "convolution " + point.precision;
  if (point.kind == PeakKind::kHostToDevice) return "host to device";
  if (point.kind == PeakKind::kLaunch) return "launch of an operation";
  if (point.kind == PeakKind::kGraphNode) return "operation in a graph";
  return "memory " + to_string(point.kind);
}

/// Returns the size at which the value was measured, or the reason for no value.
std::string note(const PeakPoint& point) {
  if (!point.value.has_value()) return point.value.reason();
  if (point.kind == PeakKind::kGemm) return fmt::format("{0} x {0}", point.size);
  if (point.kind == PeakKind::kConvolution) return fmt::format("{} channels", point.size);
  if (find_unit(point.kind) == "B/s") return "arrays of " + byte_text({point.size});
  return "";
}

std::string value_text(const PeakPoint& point) {
  return point.value.has_value() ? prefixed_text(point.value.value(), find_unit(point.kind)) : "-";
}

}  // namespace

std::string point_text(const std::string& device, const PeakPoint& point) {
  const std::string precision = point.precision.empty() ? "" : " " + point.precision;
  const std::string size = point.size > 0 ? fmt::format(" {}", point.size) : "";
  return fmt::format("{}: {}{}{}: {}", device, to_string(point.kind), precision, size, value_text(point));
}

std::string peak_table(const std::vector<PeakPoint>& points) {
  TextTable table({{"device"}, {"what"}, {"best", Align::kRight}, {"at"}});
  for (auto begin = points.begin(); begin != points.end();) {
    const auto is_other = [&](const PeakPoint& point) { return point.device != begin->device; };
    const auto end = std::find_if(begin, points.end(), is_other);
    for (const PeakPoint& point : headline({begin, end}))
      table.add_row({point.device, subject(point), value_text(point), note(point)});
    begin = end;
  }
  return table.to_string();
}

std::string selftest_table(const std::vector<CheckRow>& checks) {
  TextTable table({{""}, {"device"}, {"check"}, {"of"}, {"found"}});
  for (const CheckRow& row : checks) {
    const bool is_unchecked = row.status == CheckStatus::kUnchecked;
    table.add_row({is_unchecked                       ? "--"
                   : row.status == CheckStatus::kPass ? "ok"
                                                      : "FAIL",
                   row.device, row.check, row.subject,
                   is_unchecked ? "cannot be checked: " + row.message : row.message});
  }
  const auto count = [&](CheckStatus status) {
    return std::ranges::count(checks, status, &CheckRow::status);
  };
  return fmt::format("{}\n{} passed, {} failed, {} cannot be checked here\n", table.to_string(),
                     count(CheckStatus::kPass), count(CheckStatus::kFail), count(CheckStatus::kUnchecked));
}

}  // namespace gpubench
