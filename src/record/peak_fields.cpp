#include "gpubench/record/peak_record.h"
#include "gpubench/record/selftest_record.h"
#include "record/field_value.h"

namespace gpubench {
std::string find_unit(PeakKind kind) {
  if (is_arithmetic(kind)) return "FLOP/s";
  return kind == PeakKind::kLaunch || kind == PeakKind::kGraphNode ? "s" : "B/s";
}

const FieldTable<PeakPoint>& peak_point_fields() {
  using P = PeakPoint;
  static const FieldTable<P> fields({
      {"device", "", "device", "Name of one of `environment.devices`.", member(&P::device).at_least(1)},
      {"kind", "", "kind",
       "`gemm`: product of two square matrices; `convolution`: one with a 1x1 filter, with as many FLOP; "
       "`copy`: b = a; `triad`: a = b + s c; `host-to-device`: copy out of pinned host memory; `launch`: "
       "tiny operations in a row; `graph-node`: the same in a recorded graph.",
       named(&P::kind)},
      {"precision", "", "precision", "Of a product or convolution.",
       or_none(&P::precision, "it is no arithmetic").one_of({"fp32", "tf32", "bf16", "fp16", "fp64"})},
      {"size", "", "size",
       "Rows of a matrix, channels of a convolution, bytes of an array, or operations in a row; likewise "
       "where a value is null at every size.",
       or_none(&P::size, "it could be measured at no size").at_least(1)},
      {"value", "", "value", "A rate, or the time of one operation, in `unit`.",
       member(&P::value).at_least(0)},
      {"unit", "", "unit", "Of the value.",
       derived<P>([](const P& point) { return find_unit(point.kind); }).one_of({"FLOP/s", "B/s", "s"})},
  });
  return fields;
}

const FieldTable<CheckRow>& check_fields() {
  using R = CheckRow;
  static const FieldTable<R> fields({
      {"device", "", "device", "Name of one of `environment.devices`.",
       member(&R::device).at_least(1).own_word()},
      {"check", "", "check", Shown::kInTable,
       "Name of the check; [selftest.md](../docs/selftest.md) has all.",
       member(&R::check).at_least(1).own_word()},
      {"subject", "", "of", Shown::kInTable,
       "What of it was checked: a model, a precision, a power meter; empty where there is one thing alone.",
       member(&R::subject).own_word()},
      {"claim", "", "claim", "What is true where it passes.", member(&R::claim).at_least(1).own_word()},
      {"status", "", "status", Shown::kInTable, "`pass`, `fail`, or `unchecked`: it cannot be checked here.",
       named(&R::status)},
      {"message", "", "found", Shown::kInTable, "What was found, or why it cannot be checked.",
       member(&R::message).at_least(1)},
      {"deviation", "", "deviation", "How far off it was.", member(&R::deviation).in("comparison")},
      {"tolerance", "", "tolerance", "How far off it may be.", member(&R::tolerance).in("comparison")},
      {"duration_seconds", "s", "duration", "Of the check, all of its rows together.", member(&R::duration)},
  });
  return fields;
}

}  // namespace gpubench
