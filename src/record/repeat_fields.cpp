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

Groups part(std::string_view key) {
  return derived([key](const RepeatGroup& group) { return group.identity.at(key); });
}

std::int64_t batch(const RepeatGroup& group) { return group.identity.number("batch"); }
std::int64_t count(const RepeatGroup& group) { return static_cast<std::int64_t>(group.medians.size()); }

Reading<double> halfwidth_of(const RepeatGroup& group) {
  return halfwidth(group.interval, group.summary.median);
}

}  // namespace

std::span<const Field<RepeatGroup>> repeat_fields() {
  using G = RepeatGroup;
  static const std::vector<Field<G>> fields = {
      {"model", "", "model", Shown::kInTable, part("model")},
      {"sizes", "", "sizes", Shown::kInTableWhereUnusual, part("sizes")},
      {"dataset", "", "dataset", Shown::kInFile, part("dataset")},
      {"device", "", "device", Shown::kInTable, part("device")},
      {"batch", "", "batch", Shown::kInTable, derived(batch)},
      {"execution", "", "execution", Shown::kInTableWhereUnusual, part("execution")},
      {"precision", "", "precision", Shown::kInTableWhereUnusual, part("precision")},
      {"layout", "", "layout", Shown::kInTableWhereUnusual, part("layout")},
      {"loader", "", "loader", Shown::kInTableWhereUnusual, part("loader")},
      {"protocol", "", "protocol", Shown::kInFile, part("protocol")},
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
