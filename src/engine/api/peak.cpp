#include <algorithm>

#include "engine/api/peak.h"
#include "gpubench/record/field_table.h"

namespace gpubench {
namespace {

bool is_of_memory(PeakKind kind) { return kind == PeakKind::kCopy || kind == PeakKind::kTriad; }

bool is_time(PeakKind kind) { return kind == PeakKind::kLaunch || kind == PeakKind::kGraphNode; }

/// Whether `a` rather than `b`, which is of the same kind, is the figure to tell.
bool is_better(const PeakPoint& a, const PeakPoint& b) {
  if (!a.value.has_value() || !b.value.has_value()) return a.value.has_value();
  if (is_of_memory(a.kind)) return a.size > b.size;
  return is_time(a.kind) ? a.value.value() < b.value.value() : a.value.value() > b.value.value();
}

Reading<double> value_of(const std::vector<PeakPoint>& points, PeakKind kind) {
  const auto found = std::ranges::find(points, kind, &PeakPoint::kind);
  return found == points.end() ? Reading<double>() : found->value;
}

Reading<Seconds> time_of(const std::vector<PeakPoint>& points, PeakKind kind) {
  return value_of(points, kind).then([](double value) { return Seconds{value}; });
}

Reading<NamedValues> products(const std::vector<PeakPoint>& points) {
  NamedValues rates;
  for (const PeakPoint& point : points) {
    if (point.kind == PeakKind::kGemm && point.value.has_value())
      rates.emplace_back(point.precision, point.value.value());
  }
  if (rates.empty()) return absent(value_of(points, PeakKind::kGemm).reason());
  return rates;
}

}  // namespace

std::vector<PeakPoint> headline(const std::vector<PeakPoint>& points) {
  std::vector<PeakPoint> chosen;
  for (const PeakPoint& point : points) {
    const auto same = std::ranges::find_if(chosen, [&](const PeakPoint& other) {
      return other.kind == point.kind && other.precision == point.precision;
    });
    if (same == chosen.end())
      chosen.push_back(point);
    else if (is_better(point, *same))
      *same = point;
  }
  return chosen;
}

void set_peak(DeviceRecord& record, const std::vector<PeakPoint>& points, const std::string& measured_at) {
  const std::vector<PeakPoint> chosen = headline(points);
  record.peak_flops_per_second = products(chosen);
  record.triad_bytes_per_second = value_of(chosen, PeakKind::kTriad);
  record.copy_bytes_per_second = value_of(chosen, PeakKind::kCopy);
  record.host_to_device_bytes_per_second = value_of(chosen, PeakKind::kHostToDevice);
  record.launch_latency = time_of(chosen, PeakKind::kLaunch);
  record.graph_node_latency = time_of(chosen, PeakKind::kGraphNode);
  record.peak_measured_at = measured_at;
}

void copy_peak(const DeviceRecord& source, DeviceRecord& record) {
  for (const Field<DeviceRecord>& field : device_fields()) {
    if (field.group == "roof") field.set(record, field.get(source));
  }
}

}  // namespace gpubench
