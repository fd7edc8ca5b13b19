#include "engine/plan/op_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/plan/plan.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

std::vector<OpCase> make_cases(const OpInfo& op, const OpPlanOptions& options) {
  if (!options.sweep.empty()) {
    return mapped(parse_sweep(options.sweep), [](std::int64_t size) {
      return OpCase{{{size, size}, {size, size}}};
    });
  }
  if (options.grid.is_given("sizes")) {
    return mapped(options.grid.words("sizes"),
                  [](const std::string& shape) { return parse_op_case(shape, "--shape"); });
  }
  const std::string set = format_set(options);
  std::vector<OpCase> cases = set == "small" ? op.small_cases : op.published_cases;
  if (set == "all") append(cases, op.small_cases);
  if (options.is_matrix && cases.size() > 1) cases.erase(cases.begin() + 1, cases.end());
  return cases;
}

void check(const OpPlanOptions& options) {
  const bool has_shapes = options.grid.is_given("sizes");
  const std::pair<bool, const char*> excluded[] = {{options.grid.is_given("op"), "--op"},
                                                   {has_shapes, "--shape"},
                                                   {options.is_matrix, "--matrix"},
                                                   {!options.set.empty(), "--set"}};
  for (const auto& [is_given, name] : excluded)
    require(options.sweep.empty() || !is_given, "--sweep measures square matrix products; remove {}", name);
  if (options.is_matrix) {
    require(!has_shapes, "--matrix uses the sizes of a set; remove --shape");
    for (const char* const key : {"direction", "cache"})
      require(options.grid.words(key).size() < 2,
              "--matrix shows one result per operation and type; give one --{}", key);
  }
  const std::vector<std::string> sets = op_set_names();
  require(options.set.empty() || std::ranges::find(sets, options.set) != sets.end(), "--set: {}",
          unknown_name_message("set", options.set, sets));
  require(!has_shapes || options.grid.words("op").size() == 1,
          "--shape: applies to a single operation; name it, such as --op matmul");
  require(!has_shapes || options.set.empty(), "--shape cannot be combined with a set; remove --set");
}

}  // namespace

std::vector<std::string> op_set_names() { return {"published", "small", "all"}; }

std::string format_set(const OpPlanOptions& options) {
  if (!options.sweep.empty() || options.grid.is_given("sizes")) return "";
  if (!options.set.empty()) return options.set;
  return options.is_matrix ? "small" : "published";
}

std::vector<OpWork> plan_ops(const OpPlanOptions& options) {
  check(options);
  Grid<OpPoint> grid = options.grid;
  if (options.is_matrix && !grid.is_given("type")) grid.set("type", known_names<OpType>());
  if (format_set(options) == "small" && !grid.is_given("limit_seconds")) grid.set("limit_seconds", "0.2s");
  if (!options.sweep.empty()) grid.set("op", "matmul");
  if (!grid.is_given("op")) grid.set("op", op_catalog().names());
  std::vector<OpWork> rows;
  for (const std::string& name : grid.words("op")) {
    grid.set("op", name);
    for (const OpCase& sizes : make_cases(op_catalog().require(name, "--op"), options)) {
      grid.set("sizes", to_string(sizes));
      for (OpPoint& point : grid.points()) rows.push_back({std::move(point)});
      require_room(rows.size());
    }
  }
  return rows;
}

OpRecord describe(const OpWork& work) {
  OpRecord record;
  static_cast<OpPoint&>(record) = work.asked;
  if (record.ranks > 1) record.backend = missing("the ranks did not connect");
  return record;
}

std::vector<std::int64_t> parse_sweep(const std::string& text, const char* option, std::int64_t largest) {
  constexpr std::size_t kMaxSizes = 1000;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kUsage,
                "{} {}: {}; give first, last and step, such as 256:16384:*2 or 256:1024:+256", option, text,
                why);
  };
  const auto read_number = [&](std::string_view part, std::int64_t least) {
    const auto value = parse_whole(part);
    if (!value) refuse(fmt::format("'{}' is not a whole number", part));
    if (*value < least || *value > largest)
      refuse(fmt::format("{} is not between {} and {}", *value, least, largest));
    return *value;
  };
  const std::vector<std::string_view> parts = split_fields(text, ':');
  if (parts.size() != 3) refuse("expected three parts");
  const std::string_view step = parts[2];
  const bool is_factor = step.starts_with('*');
  if (!is_factor && !step.starts_with('+')) refuse("the step must begin with * or +");
  const std::int64_t first = read_number(parts[0], 1);
  const std::int64_t last = read_number(parts[1], 1);
  const std::int64_t by = read_number(step.substr(1), is_factor ? 2 : 1);
  if (first > last) refuse("the first size is larger than the last");
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size = is_factor ? size * by : size + by) {
    if (sizes.size() == kMaxSizes) refuse(fmt::format("more than {} sizes", kMaxSizes));
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<OpWork> plan_net(const Grid<OpPoint>& given) {
  constexpr std::int64_t kLargestMessage = std::int64_t{1} << 36;
  Grid<OpPoint> grid = given;
  if (!grid.is_given("op")) grid.set("op", collective_names());
  const std::vector<std::string> known = collective_names();
  std::vector<OpWork> rows;
  for (const OpPoint& point : grid.points()) {
    require(std::ranges::find(known, point.op) != known.end(), "--collective: {}",
            unknown_name_message("collective", point.op, known));
    require(point.ranks >= 2, "--world-size {}: a collective needs at least 2 ranks", point.ranks);
    for (const std::int64_t size : parse_sweep(point.sizes, "--sizes", kLargestMessage)) {
      rows.push_back({point});
      rows.back().asked.sizes = std::to_string(size);
      require_room(rows.size());
    }
  }
  return rows;
}

}  // namespace gpubench
