#include "gpubench/record/op_fields.h"

#include "record/field_value.h"
#include "record/named_access.h"

namespace gpubench {
namespace {

using R = OpRecord;
using Rows = std::vector<Field<R>>;

template <class Enum>
Access<R> named(Enum R::*pointer, Enum (*value_named)(const std::string&)) {
  return named_access<R>(
      [pointer](auto& record) -> auto& { return record.*pointer; }, value_named);
}

Access<R> status_message() {
  return {[](const R& record) -> FieldValue {
            if (record.status_message.empty()) return absent("the row ended well");
            return record.status_message;
          },
          [](R& record, const FieldValue& value) {
            record.status_message = std::holds_alternative<Absent>(value) ? std::string() : text_in(value);
          }};
}

/// A derived field: no setter.
template <class T>
Access<R> derived(Reading<T> (*figure)(const R&)) {
  return {[figure](const R& record) { return field_value(figure(record)); }};
}

Reading<double> median_call(const R& record) {
  const Reading<Estimate> time = call_time(record);
  return time.has_value() ? Reading<double>(time.value().value) : absent(time.reason());
}

Access<R> end_of_call(double Interval::*end) {
  return {[end](const R& record) -> FieldValue {
    const Reading<Estimate> time = call_time(record);
    if (!time.has_value()) return absent(time.reason());
    const Reading<Interval>& interval = time.value().interval;
    if (!interval.has_value()) return absent(interval.reason());
    return interval.value().*end;
  }};
}

Rows plan_rows() {
  return {
      {"op", "", "operation", Shown::kInTable, member(&R::op)},
      {"sizes", "", "sizes", Shown::kInTable, member(&R::sizes)},
      {"type", "", "type", Shown::kInTable, named(&R::type, op_type_named)},
      {"direction", "", "direction", Shown::kInTable, named(&R::direction, op_direction_named)},
      {"cache", "", "cache", Shown::kInTable, named(&R::cache, op_cache_named)},
      {"device", "", "device", Shown::kInTable, member(&R::device)},
  };
}

Rows outcome_rows() {
  return {
      {"status", "", "status", Shown::kInTable, named(&R::status, op_status_named)},
      {"status_message", "", "status message", Shown::kInFile, status_message()},
      {"warnings", "", "warnings", Shown::kInFile, member(&R::warnings)},
      {"calls_per_sample", "", "calls a sample", Shown::kInFile, member(&R::calls_per_sample)},
      {"clock", "", "clock", Shown::kInFile, member(&R::clock)},
      {"call_seconds", "s", "a call, a sample each", Shown::kInFile, member(&R::call_seconds)},
      {"host_call_seconds", "s", "a call by the host's clock, a sample each", Shown::kInFile,
       member(&R::host_call_seconds)},
      {"graph_call_seconds", "s", "a call in a graph, a sample each", Shown::kInFile,
       member(&R::graph_call_seconds)},
      {"error", "fraction", "error", Shown::kInTable, member(&R::error)},
      {"tolerance", "fraction", "error allowed", Shown::kInFile, member(&R::tolerance)},
  };
}

Rows cost_rows() {
  return {
      {"flop", "FLOP", "FLOP a call", Shown::kInFile, member(&R::flop)},
      {"traffic_bytes", "B", "bytes a call", Shown::kInFile, member(&R::traffic)},
      {"needed_host_bytes", "B", "host memory needed", Shown::kInFile, member(&R::needed_host)},
      {"needed_device_bytes", "B", "device memory needed", Shown::kInFile, member(&R::needed_device)},
      {"peak_flops_per_second", "FLOP/s", "peak", Shown::kInFile, member(&R::peak_flops_per_second)},
      {"peak_bytes_per_second", "B/s", "peak bandwidth", Shown::kInFile, member(&R::peak_bytes_per_second)},
      {"operation_latency_seconds", "s", "least time of an operation", Shown::kInFile,
       member(&R::operation_latency)},
  };
}

Rows derived_rows() {
  return {
      {"median_call_seconds", "s", "median", Shown::kInTable, derived(median_call)},
      {"median_call_low_seconds", "s", "low", Shown::kInFile, end_of_call(&Interval::low)},
      {"median_call_high_seconds", "s", "high", Shown::kInFile, end_of_call(&Interval::high)},
      {"flops_per_second", "FLOP/s", "FLOP/s", Shown::kInTable, derived(flops_per_second)},
      {"bytes_per_second", "B/s", "B/s", Shown::kInTable, derived(bytes_per_second)},
      {"flops_share", "fraction", "of peak", Shown::kInTable, derived(flops_share)},
      {"bandwidth_share", "fraction", "of bandwidth", Shown::kInTable, derived(bandwidth_share)},
      {"launch_cost_seconds", "s", "launch", Shown::kInFile, derived(launch_cost)},
      {"bound", "", "bound by", Shown::kInTable, derived(bound)},
      {"slow", "", "slow", Shown::kInFile, {[](const R& record) { return is_slow(record); }}},
  };
}

Rows make_op_fields() {
  Rows all;
  for (const auto& make : {plan_rows, outcome_rows, cost_rows, derived_rows}) {
    for (Field<R>& row : make()) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::span<const Field<OpRecord>> op_fields() {
  static const Rows fields = make_op_fields();
  return fields;
}

std::span<const Field<OpsSettings>> ops_settings_fields() {
  using S = OpsSettings;
  static const std::vector<Field<S>> fields = {
      {"protocol", "", "protocol", Shown::kInFile, member(&S::protocol)},
      {"kind", "", "kind", Shown::kInFile, member(&S::kind)},
      {"set", "", "sizes", Shown::kInFile, member(&S::set)},
      {"seed", "", "seed", Shown::kInFile, member(&S::seed)},
      {"sample_seconds", "s", "a sample lasts", Shown::kInFile, member(&S::sample)},
      {"limit_seconds", "s", "a row lasts", Shown::kInFile, member(&S::limit)},
  };
  return fields;
}

}  // namespace gpubench
