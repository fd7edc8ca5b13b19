#include "gpubench/record/derived.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using S = ScalingRow;

Access<S> part(std::string_view key) {
  return derived<S>([key](const S& row) { return row.identity.at(key); });
}

Access<S> figure(auto member) { return derived<S>(std::mem_fn(member)); }

Access<S> end(double Interval::*which) {
  return derived<S>([which](const S& row) { return row.interval.then(which); });
}

constexpr const char* kOfCases = "As of its cases.";

}  // namespace

const FieldTable<ScalingRow>& scaling_fields() {
  static const FieldTable<S> fields({
      {"model", "", "model", kInTable, kOfCases, part("model").at_least(1)},
      {"sizes", "", "sizes", kOfCases, part("sizes")},
      {"dataset", "", "dataset", kOfCases, part("dataset").at_least(1)},
      {"device", "", "device", kOfCases, part("device").at_least(1)},
      {"kind", "", "scaling", kInTable,
       "`strong`: beside a single rank with the same batch; `weak`: with the same batch of a rank.",
       figure(&S::kind).one_of({"strong", "weak"})},
      {"world_size", "", "ranks", kInTable, kOfCases, figure(&S::ranks).at_least(2)},
      {"batch_size", "", "batch", kInTable, "Samples a step, of all ranks together.",
       derived<S>([](const S& row) { return row.identity.number("batch_size"); }).at_least(1)},
      {"execution", "", "execution", kOfCases, part("execution")},
      {"precision", "", "precision", kOfCases, part("precision")},
      {"layout", "", "layout", kOfCases, part("layout")},
      {"loader", "", "loader", kOfCases, part("loader")},
      {"protocol", "", "protocol", kOfCases, part("protocol")},
      {"samples_per_second", "samples/s", "samples/s", kInTable, "Median over its repetitions.",
       figure(&S::samples_per_second)},
      {"single_samples_per_second", "samples/s", "of one rank", kInTable,
       "The same of the single rank, which exchanges nothing.", figure(&S::single_samples_per_second)},
      {"efficiency", "fraction", "efficiency", kInTable, "The first over the second and over the ranks.",
       figure(&S::efficiency)},
      {"efficiency_low", "fraction", "low",
       "Lower end of its 95 % interval, from the repetitions of both; null for fewer than 3 of one.",
       end(&Interval::low).in("interval")},
      {"efficiency_high", "fraction", "high", "Upper end.", end(&Interval::high).in("interval")},
      {"communication_share", "fraction", "exchange", kInTable, "As `communication_share` of a case.",
       figure(&S::communication_share).in("exchange")},
      {"imbalance", "fraction", "imbalance", kInTable, "As `median_imbalance` of a case.",
       figure(&S::imbalance).in("exchange")},
  });
  return fields;
}

}  // namespace gpubench
