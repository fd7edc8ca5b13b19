#include "engine/plan/op_plan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "engine/plan/plan.h"
#include "gpubench/core/catalog.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr const char* kSweptOp = "matmul";

template <class Value>
std::vector<Value> distinct(const std::vector<Value>& values) {
  std::vector<Value> found;
  for (const Value& value : values) add_once(found, value);
  return found;
}

std::vector<const OpInfo*> list_ops(const OpPlanOptions& options, const Catalog<OpInfo>& known) {
  if (!options.sweep.empty()) return {&known.require(kSweptOp, "--op")};
  std::vector<const OpInfo*> ops;
  for (const std::string& name : options.ops.empty() ? known.names() : options.ops) {
    add_once(ops, &known.require(name, "--op"));
  }
  return ops;
}

std::vector<OpCase> make_cases(const OpInfo& op, const OpPlanOptions& options) {
  if (!options.sweep.empty()) {
    return mapped(parse_sweep(options.sweep), [](std::int64_t size) {
      return OpCase{{{size, size}, {size, size}}};
    });
  }
  if (!options.shapes.empty()) {
    return mapped(options.shapes, [](const std::string& shape) { return parse_op_case(shape, "--shape"); });
  }
  const std::string set = format_set(options);
  std::vector<OpCase> cases = set == "small" ? op.small_cases : op.published_cases;
  if (set == "all") append(cases, op.small_cases);
  if (options.is_matrix && cases.size() > 1) cases.erase(cases.begin() + 1, cases.end());
  return cases;
}

void check(const OpPlanOptions& options) {
  const std::pair<bool, const char*> excluded[] = {{!options.ops.empty(), "--op"},
                                                   {!options.shapes.empty(), "--shape"},
                                                   {options.is_matrix, "--matrix"},
                                                   {!options.set.empty(), "--set"}};
  for (const auto& [is_given, name] : excluded)
    require(options.sweep.empty() || !is_given, "--sweep is of square matrix products; leave {} out", name);
  if (options.is_matrix) {
    require(options.shapes.empty(), "--matrix takes the sizes of a set; leave --shape out");
    require(options.directions.size() < 2,
            "--matrix has one word for an operation and type; give one --direction");
    require(options.caches.size() < 2, "--matrix has one word for an operation and type; give one --cache");
  }
  const std::vector<std::string> sets = op_set_names();
  require(options.set.empty() || std::ranges::find(sets, options.set) != sets.end(), "--set: {}",
          unknown_name_message("set", options.set, sets));
  require(options.shapes.empty() || options.ops.size() == 1,
          "--shape: sizes are those of one operation; name it, as in --op matmul");
  require(options.shapes.empty() || options.set.empty(), "--shape takes the place of a set; leave --set out");
  require(options.repeat >= 1, "--repeat {}: give 1 or more", options.repeat);
  require(options.seed >= 0, "--seed {}: must not be negative", options.seed);
}

/// Returns the rows of one device and repetition.
std::vector<std::pair<const OpInfo*, OpRequest>> make_requests(const OpPlanOptions& options,
                                                               const Catalog<OpInfo>& known) {
  const auto usual_types = options.is_matrix ? all_op_types() : std::vector{OpType::kFp32};
  const auto types = options.types.empty() ? usual_types : distinct(options.types);
  const auto directions = distinct(options.directions);
  const auto caches = distinct(options.caches);
  const auto seed = static_cast<std::uint64_t>(options.seed);
  std::vector<std::pair<const OpInfo*, OpRequest>> requests;
  for (const OpInfo* op : list_ops(options, known)) {
    for (const OpCase& sizes : make_cases(*op, options)) {
      for (const OpType type : types) {
        for (const OpDirection direction : directions) {
          for (const OpCache cache : caches) {
            requests.push_back({op, {sizes, type, direction, cache, seed, options.effort}});
          }
        }
      }
    }
  }
  return requests;
}

}  // namespace

std::vector<std::string> op_set_names() { return {"published", "small", "all"}; }

std::string format_set(const OpPlanOptions& options) {
  if (!options.sweep.empty() || !options.shapes.empty()) return "";
  if (!options.set.empty()) return options.set;
  return options.is_matrix ? "small" : "published";
}

std::vector<OpWork> plan_ops(const OpPlanOptions& options, const std::vector<std::string>& devices,
                             std::span<const OpInfo> known) {
  check(options);
  const Catalog<OpInfo> ops("operation", {known.begin(), known.end()});
  const auto requests = make_requests(options, ops);
  std::vector<OpWork> rows;
  for (const std::string& device : devices) {
    for (const auto& [op, request] : requests) {
      for (std::int64_t repeat = 1; repeat <= options.repeat; ++repeat) {
        rows.push_back({op->name, request, device, repeat});
        require_room(rows.size());
      }
    }
  }
  return rows;
}

OpRecord describe(const OpWork& work) {
  OpRecord record;
  record.op = work.op;
  record.sizes = to_string(work.request.sizes);
  record.type = work.request.type;
  record.direction = work.request.direction;
  record.cache = work.request.cache;
  record.device = work.device;
  record.repeat = work.repeat;
  record.ranks = work.ranks;
  if (work.ranks > 1) record.backend = missing("the ranks were not joined");
  return record;
}

std::vector<std::int64_t> parse_sweep(const std::string& text, const char* option, std::int64_t largest) {
  constexpr std::size_t kMostSizes = 1000;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kUsage,
                "{} {}: {}; give first, last and step, as in 256:16384:*2 or 256:1024:+256", option, text,
                why);
  };
  const auto read_number = [&](std::string_view part, std::int64_t least) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size())
      refuse(fmt::format("'{}' is no whole number", part));
    if (value < least || value > largest)
      refuse(fmt::format("{} is not between {} and {}", value, least, largest));
    return value;
  };
  const std::string_view view(text);
  const std::size_t first_end = view.find(':');
  const std::size_t last_end = view.find(':', first_end + 1);
  if (first_end == view.npos || last_end == view.npos) refuse("three parts are needed");
  const std::string_view step = view.substr(last_end + 1);
  const bool is_factor = step.starts_with('*');
  if (!is_factor && !step.starts_with('+')) refuse("the step begins with * or +");
  const std::int64_t first = read_number(view.substr(0, first_end), 1);
  const std::int64_t last = read_number(view.substr(first_end + 1, last_end - first_end - 1), 1);
  const std::int64_t by = read_number(step.substr(1), is_factor ? 2 : 1);
  if (first > last) refuse("the first size is above the last");
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size = is_factor ? size * by : size + by) {
    if (sizes.size() == kMostSizes) refuse(fmt::format("it has more than {} sizes", kMostSizes));
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<std::string> collective_names() {
  return {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive"};
}

std::vector<OpWork> plan_net(const NetPlanOptions& options, const std::string& device) {
  constexpr std::int64_t kLargestMessage = std::int64_t{1} << 36;
  require(options.repeat >= 1, "--repeat {}: give 1 or more", options.repeat);
  const std::vector<std::int64_t> sizes = parse_sweep(options.sizes, "--sizes", kLargestMessage);
  const std::vector<std::string> known = collective_names();
  const std::vector<std::string>& names = options.collectives.empty() ? known : options.collectives;
  for (const std::string& name : names) {
    require(std::ranges::find(known, name) != known.end(), "--collective: {}",
            unknown_name_message("collective", name, known));
  }
  std::vector<OpWork> rows;
  for (const std::int64_t ranks : options.ranks) {
    require(ranks >= 2, "--world-size {}: a collective is of two or more", ranks);
    for (const std::string& name : names) {
      for (const std::int64_t size : sizes) {
        OpRequest request;
        request.sizes = {{{size}}};
        request.effort = options.effort;
        for (std::int64_t repeat = 1; repeat <= options.repeat; ++repeat) {
          rows.push_back({name, request, device, repeat, ranks, {}});
          require_room(rows.size());
        }
      }
    }
  }
  return rows;
}

}  // namespace gpubench
