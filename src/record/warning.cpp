#include "gpubench/record/warning.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

std::string format_severity(double figure, std::string_view unit) {
  if (unit == "fraction") return percent_text(figure);
  if (unit == "B") return byte_text({static_cast<std::int64_t>(figure)});
  return unit == "s" ? figure_text(figure) + " s" : with_separators(std::llround(figure));
}

}  // namespace

std::span<const WarningEntry> warning_entries() {
#define GPUBENCH_WARNING(its_kind, its_name, ...) \
  WarningEntry{.kind = WarningKind::its_kind, .name = its_name, __VA_ARGS__},
  static constexpr WarningEntry kEntries[] = {
#include "gpubench/record/warnings.def"
  };
#undef GPUBENCH_WARNING
  return kEntries;
}

KindName::KindName(WarningKind kind) : name(warning_entries()[static_cast<std::size_t>(kind)].name) {}

const WarningEntry& get_entry(const KindName& kind) {
  static constexpr WarningEntry kUnknown{};
  const auto found = std::ranges::find(warning_entries(), kind.name, &WarningEntry::name);
  return found == warning_entries().end() ? kUnknown : *found;
}

Warning make_warning(WarningKind kind, std::optional<double> figure, std::string_view detail) {
  const WarningEntry& entry = get_entry(kind);
  const std::string severity = figure ? format_severity(*figure, entry.unit) : "";
  return {kind, figure, fmt::format(fmt::runtime(entry.text), severity, detail)};
}

void add_warning(const Warning& warning, std::size_t row, std::vector<WarningGroup>& groups) {
  const auto is_alike = [&](const Warning& known) {
    return known.kind == warning.kind && ((known.figure && warning.figure) || known.text == warning.text);
  };
  auto group = std::ranges::find_if(groups, is_alike, &WarningGroup::worst);
  if (group == groups.end()) group = groups.insert(group, {warning, {}});
  group->rows.push_back(row);
  if (warning.figure > group->worst.figure) group->worst = warning;
}

}  // namespace gpubench
