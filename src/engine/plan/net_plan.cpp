#include "engine/plan/net_plan.h"

#include <algorithm>

#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr std::int64_t kLargestMessage = std::int64_t{1} << 36;

std::vector<std::string> checked(const std::vector<std::string>& names) {
  const std::vector<std::string> known = collective_names();
  for (const std::string& name : names) {
    require(std::ranges::find(known, name) != known.end(), "--collective: {}",
            unknown_name_message("collective", name, known));
  }
  return names.empty() ? known : names;
}

}  // namespace

std::vector<std::string> collective_names() {
  return {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive"};
}

std::vector<OpWork> plan_net(const NetPlanOptions& options, const std::string& device) {
  require(options.repeat >= 1, "--repeat {}: give 1 or more", options.repeat);
  const std::vector<std::int64_t> sizes = parse_sweep(options.sizes, "--sizes", kLargestMessage);
  const std::vector<std::string> names = checked(options.collectives);
  require_room(static_cast<double>(sizes.size() * names.size() * options.ranks.size()) *
               static_cast<double>(options.repeat));
  std::vector<OpWork> rows;
  for (const std::int64_t ranks : options.ranks) {
    require(ranks >= 2, "--world-size {}: a collective is of two or more", ranks);
    for (const std::string& name : names) {
      for (const std::int64_t size : sizes) {
        OpRequest request;
        request.sizes = {{{size}}};
        request.effort = options.effort;
        for (std::int64_t repeat = 1; repeat <= options.repeat; ++repeat)
          rows.push_back({name, request, device, repeat, ranks, {}});
      }
    }
  }
  return rows;
}

}  // namespace gpubench
