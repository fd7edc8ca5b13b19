#include "app/run/peak_report.h"

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/text_table.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

std::string what(const PeakPoint& point) {
  switch (point.kind) {
    case PeakKind::kGemm:
      return "matrix product " + point.precision;
    case PeakKind::kConvolution:
      return "convolution " + point.precision;
    case PeakKind::kHostToDevice:
      return "host to device";
    case PeakKind::kLaunch:
      return "launch of an operation";
    case PeakKind::kGraphNode:
      return "operation in a graph";
    case PeakKind::kCopy:
    case PeakKind::kTriad:
      break;
  }
  return "memory " + to_string(point.kind);
}

/// The size that the figure was found at, or why there is none.
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

std::string peak_document(const PeakReport& report) {
  PeakRecord record{report.tool, report.environment, {}};
  for (const PeakMeasurement& measured : report.devices) {
    append(record.points, measured.points);
    for (auto point = record.points.end() - std::ssize(measured.points); point != record.points.end();
         ++point)
      point->device = measured.device.name;
  }
  return peak_document(record);
}

std::string peak_table(const std::vector<PeakMeasurement>& devices) {
  TextTable table(
      {{"device", Align::kLeft}, {"what", Align::kLeft}, {"best", Align::kRight}, {"at", Align::kLeft}});
  for (const PeakMeasurement& measured : devices) {
    for (const PeakPoint& point : headline(measured.points)) {
      table.add_row({measured.device.name, what(point), value_text(point), note(point)});
    }
  }
  return table.to_string();
}

}  // namespace gpubench
