#include "compare/ops_contest.h"

#include <algorithm>

#include <fmt/format.h>

#include "compare/op_names.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// "A" to "Z", then "A2".
std::string label_of(std::size_t position) {
  const std::string letter(1, static_cast<char>('A' + position % 26));
  return position < 26 ? letter : letter + std::to_string(position / 26 + 1);
}

void add_sides(std::vector<OpsSide>& sides, const NamedOps& table) {
  const std::size_t first = sides.size();
  for (const OpRecord& row : table.ops.rows) {
    auto side = std::find_if(sides.begin() + static_cast<std::ptrdiff_t>(first), sides.end(),
                             [&](const OpsSide& known) { return known.device == row.device; });
    if (side == sides.end())
      side = sides.insert(side, {label_of(sides.size()), table.name, row.device, &table.ops, {}});
    side->rows.push_back(&row);
  }
}

bool is_cpu(const OpsSide& side) { return side.device == "cpu"; }

/// Of the first `count` sides.
std::size_t baseline_for(const OpsSide& side, const std::vector<OpsSide>& sides, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (is_cpu(sides[i]) == is_cpu(side)) return i;
  }
  return 0;
}

Reading<Estimate> time_of(const OpRecord* row) {
  return row == nullptr ? Reading<Estimate>(absent("there is no such row")) : usable_time(*row);
}

OpPair pair_of(const OpRecord* base, const OpRecord* other) {
  OpPair pair{base, other, time_of(base), time_of(other), {}};
  if (!pair.base_time.has_value())
    pair.ratio = absent("the baseline: " + pair.base_time.reason());
  else if (!pair.other_time.has_value())
    pair.ratio = absent("the other: " + pair.other_time.reason());
  else
    pair.ratio = ratio_of(pair.base_time.value(), pair.other_time.value());
  return pair;
}

std::vector<OpPair> pairs_of(const OpsSide& base, const OpsSide& other) {
  std::vector<OpPair> pairs;
  std::vector<const OpRecord*> rest = other.rows;
  for (const OpRecord* row : base.rows) {
    const auto same = std::find_if(rest.begin(), rest.end(),
                                   [&](const OpRecord* candidate) { return is_same_work(*row, *candidate); });
    pairs.push_back(pair_of(row, same == rest.end() ? nullptr : *same));
    if (same != rest.end()) rest.erase(same);
  }
  for (const OpRecord* row : rest) pairs.push_back(pair_of(nullptr, row));
  return pairs;
}

std::string model_of(const OpsSide& side) {
  for (const DeviceRecord& device : side.ops->environment.devices) {
    if (device.name == side.device && !device.model.empty()) return " (" + device.model + ")";
  }
  return "";
}

}  // namespace

std::string description_of(const OpsSide& side) {
  // A published table is called after its device.
  const std::string device =
      side.name.ends_with("/" + side.device) ? "" : ", " + side.device + model_of(side);
  return one_line(fmt::format("{} ({}{})", side.label, side.name, device));
}

OpsContest contest_of(std::span<const NamedOps> tables) {
  OpsContest contest;
  std::size_t of_first = 0;
  for (const NamedOps& table : tables) {
    add_sides(contest.sides, table);
    if (&table == &tables.front()) of_first = contest.sides.size();
  }
  const bool is_one_table = of_first == contest.sides.size();
  for (std::size_t i = is_one_table ? 1 : of_first; i < contest.sides.size(); ++i) {
    const std::size_t base = is_one_table ? 0 : baseline_for(contest.sides[i], contest.sides, of_first);
    contest.duels.push_back({base, i, pairs_of(contest.sides[base], contest.sides[i])});
  }
  return contest;
}

}  // namespace gpubench
