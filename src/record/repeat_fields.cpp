#include "gpubench/record/derived.h"
#include "record/field_value.h"
#include "record/halfwidth.h"

namespace gpubench {
namespace {

using Groups = Access<RepeatGroup>;

/// A field that no file is read for: the groups follow from the cases.
template <class Function>
Groups derived(Function function) {
  return {[function](const RepeatGroup& group) { return field_value(function(group)); }};
}

Groups summary(double Summary::*figure) {
  return derived([figure](const RepeatGroup& group) { return group.summary.*figure; });
}

Groups bound(double Interval::*end) {
  return derived([end](const RepeatGroup& group) -> Reading<double> {
    if (!group.interval.has_value()) return absent(group.interval.reason());
    return group.interval.value().*end;
  });
}

/// One of the modes: `mode(&TrainingMode::precision)`.
template <class Enum>
Groups mode(Enum TrainingMode::*which) {
  return derived([which](const RepeatGroup& group) { return to_string(group.mode.*which); });
}

std::string protocol(const RepeatGroup& group) { return to_string(group.protocol); }
std::int64_t count(const RepeatGroup& group) { return static_cast<std::int64_t>(group.medians.size()); }

Reading<double> halfwidth_of(const RepeatGroup& group) {
  return halfwidth(group.interval, group.summary.median);
}

}  // namespace

std::span<const Field<RepeatGroup>> repeat_fields() {
  using G = RepeatGroup;
  static const std::vector<Field<G>> fields = {
      {"model", "", "model", Shown::kInTable, derived(std::mem_fn(&G::model))},
      {"sizes", "", "sizes", Shown::kInTableWhereUnusual, derived(std::mem_fn(&G::sizes))},
      {"dataset", "", "dataset", Shown::kInFile, derived(std::mem_fn(&G::dataset))},
      {"device", "", "device", Shown::kInTable, derived(std::mem_fn(&G::device))},
      {"batch", "", "batch", Shown::kInTable, derived(std::mem_fn(&G::batch_size))},
      {"execution", "", "execution", Shown::kInTableWhereUnusual, mode(&TrainingMode::execution)},
      {"precision", "", "precision", Shown::kInTableWhereUnusual, mode(&TrainingMode::precision)},
      {"layout", "", "layout", Shown::kInTableWhereUnusual, mode(&TrainingMode::layout)},
      {"loader", "", "loader", Shown::kInTableWhereUnusual, mode(&TrainingMode::loader)},
      {"protocol", "", "protocol", Shown::kInFile, derived(protocol)},
      {"count", "", "repeats", Shown::kInTable, derived(count)},
      {"median_epoch_seconds", "s", "medians", Shown::kInFile, derived(std::mem_fn(&G::medians))},
      {"median_seconds", "s", "median of medians", Shown::kInTable, summary(&Summary::median)},
      {"low_seconds", "s", "low", Shown::kInFile, bound(&Interval::low)},
      {"high_seconds", "s", "high", Shown::kInFile, bound(&Interval::high)},
      {"halfwidth", "fraction", "±", Shown::kInTable, derived(halfwidth_of)},
      {"mad_seconds", "s", "MAD", Shown::kInTable, summary(&Summary::mad)},
  };
  return fields;
}

}  // namespace gpubench
