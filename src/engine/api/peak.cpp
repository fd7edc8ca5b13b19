#include <algorithm>
#include <utility>

#include "engine/api/peak.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"

namespace gpubench {
namespace {

/// Returns true if `a` replaces `b` in the headline. Both are of the same kind.
bool is_better(const PeakPoint& a, const PeakPoint& b) {
  if (!a.value.has_value() || !b.value.has_value()) return a.value.has_value();
  if (a.kind == PeakKind::kCopy || a.kind == PeakKind::kTriad) return a.size > b.size;
  const bool is_time = a.kind == PeakKind::kLaunch || a.kind == PeakKind::kGraphNode;
  return is_time ? a.value.value() < b.value.value() : a.value.value() > b.value.value();
}

Measured<double> find_value(const std::vector<PeakPoint>& points, PeakKind kind) {
  const auto found = std::ranges::find(points, kind, &PeakPoint::kind);
  return found == points.end() ? Measured<double>() : found->value;
}

Measured<Seconds> find_time(const std::vector<PeakPoint>& points, PeakKind kind) {
  return find_value(points, kind).then([](double value) { return Seconds{value}; });
}

void keep_better(NamedValues& rates, const std::string& name, double rate) {
  const auto known = std::ranges::find(rates, name, &NamedValues::value_type::first);
  if (known == rates.end())
    rates.emplace_back(name, rate);
  else
    known->second = std::max(known->second, rate);
}

void keep_better(Measured<NamedValues>& kept, const Measured<NamedValues>& other) {
  if (!other.has_value()) return;
  NamedValues rates = kept.value_or({});
  for (const auto& [name, rate] : other.value()) keep_better(rates, name, rate);
  kept = std::move(rates);
}

template <class T, class IsBetter>
void keep_better(Measured<T>& kept, const Measured<T>& other, IsBetter is_better) {
  if (other.has_value() && (!kept.has_value() || is_better(other.value(), kept.value()))) kept = other;
}

/// Marks the precisions of `best` whose peak equals one that `device` took from a row.
void add_raised(DeviceRecord& best, const DeviceRecord& device) {
  for (const std::string& precision : device.peak_from_rows) {
    if (peak_in(best, precision) == peak_in(device, precision)) add_once(best.peak_from_rows, precision);
  }
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
  NamedValues rates;
  for (const PeakPoint& point : chosen) {
    if (is_arithmetic(point.kind) && point.value.has_value())
      keep_better(rates, point.precision, point.value.value());
  }
  record.peak_flops_per_second =
      rates.empty() ? Measured<NamedValues>(missing(find_value(chosen, PeakKind::kGemm).reason())) : rates;
  record.peak_from_rows.clear();
  record.triad_bytes_per_second = find_value(chosen, PeakKind::kTriad);
  record.copy_bytes_per_second = find_value(chosen, PeakKind::kCopy);
  record.host_to_device_bytes_per_second = find_value(chosen, PeakKind::kHostToDevice);
  record.launch_latency = find_time(chosen, PeakKind::kLaunch);
  record.graph_node_latency = find_time(chosen, PeakKind::kGraphNode);
  record.peak_measured_at = measured_at;
}

void copy_peak(const DeviceRecord& source, DeviceRecord& record) {
  for (const Field<DeviceRecord>& field : device_fields()) {
    if (field.group == "peak") field.set(record, field.get(source));
  }
  record.peak_from_rows = source.peak_from_rows;
}

void improve_peak(const DeviceRecord& source, DeviceRecord& record) {
  DeviceRecord best = source;
  keep_better(best.peak_flops_per_second, record.peak_flops_per_second);
  keep_better(best.triad_bytes_per_second, record.triad_bytes_per_second, std::greater<>());
  keep_better(best.copy_bytes_per_second, record.copy_bytes_per_second, std::greater<>());
  keep_better(best.host_to_device_bytes_per_second, record.host_to_device_bytes_per_second, std::greater<>());
  keep_better(best.launch_latency, record.launch_latency, std::less<>());
  keep_better(best.graph_node_latency, record.graph_node_latency, std::less<>());
  best.peak_from_rows.clear();
  add_raised(best, record);
  add_raised(best, source);
  copy_peak(best, record);
}

double peak_in(const DeviceRecord& device, const std::string& precision) {
  return find_value(device.peak_flops_per_second, precision).value_or(0);
}

void raise_peak(DeviceRecord& device, const std::string& precision, double rate) {
  keep_better(device.peak_flops_per_second, NamedValues{{precision, rate}});
  add_once(device.peak_from_rows, precision);
}

}  // namespace gpubench
