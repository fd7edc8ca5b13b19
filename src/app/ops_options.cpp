#include "app/ops_options.h"

#include "app/engine_loader.h"
#include "app/planned_run.h"
#include "gpubench/core/duration.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr Seconds kSmallLimit{0.2};

void require(bool is_fine, const std::string& message) {
  if (!is_fine) throw Error(ErrorKind::kUsage, message);
}

Seconds duration_or(const std::string& text, Seconds otherwise, const std::string& option) {
  if (text.empty()) return otherwise;
  const Seconds given = parse_duration(text, option);
  require(given.value > 0, option + " " + text + ": must be above 0");
  return given;
}

OpEffort effort_of(const OpsOptions& options) {
  OpEffort effort;
  effort.is_second_call = options.protocol == "s4";
  require(!effort.is_second_call || (options.sample.empty() && options.time.empty()),
          "--protocol s4 times the second of two calls; leave --sample and --time out");
  effort.sample = duration_or(options.sample, effort.sample, "--sample");
  effort.limit =
      duration_or(options.time, set_of(options.plan) == "small" ? kSmallLimit : effort.limit, "--time");
  return effort;
}

}  // namespace

OpPlanOptions ops_plan(const OpsOptions& options) {
  const std::vector<std::string> protocols{"default", "s4"};
  require(options.protocol == protocols[0] || options.protocol == protocols[1],
          "--protocol: " + unknown_name_message("protocol", options.protocol, protocols));
  require(options.against.empty() || options.output != "-",
          "--against prints a comparison below the table; leave '-o -' out");
  check_threads(options.threads);
  allocator_named(options.allocator);
  OpPlanOptions plan = options.plan;
  plan.effort = effort_of(options);
  return plan;
}

OpsSettings ops_settings(const OpsOptions& options, const OpPlanOptions& plan) {
  OpsSettings settings;
  settings.protocol = options.protocol;
  if (plan.is_matrix) settings.kind = "matrix";
  if (!plan.sweep.empty()) settings.kind = "sweep";
  settings.set = set_of(plan);
  settings.seed = plan.seed;
  settings.sample = plan.effort.sample;
  settings.limit = plan.effort.limit;
  return settings;
}

}  // namespace gpubench
