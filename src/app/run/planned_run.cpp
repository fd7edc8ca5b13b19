#include "app/run/planned_run.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/run/engine_loader.h"
#include "app/run/power_watch.h"
#include "device/host/host_process.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/plan/suite.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

void require(bool is_fine, const std::string& message) {
  if (!is_fine) throw Error(ErrorKind::kUsage, message);
}

/// What the command line alone says, or the suite's groups with the command line laid over each.
std::vector<PlanOptions> groups_of(PlannedRun& run) {
  if (run.options.suite.empty()) return {run.options.plan};
  const Suite suite = load_suite(run.options.suite);
  run.suite = suite.name;
  if (!run.timeout) run.timeout = suite.timeout;
  if (!run.budget) run.budget = suite.budget;
  std::vector<PlanOptions> groups;
  for (const PlanOptions& group : suite.groups) groups.push_back(parse_over(group, run.arguments).plan);
  return groups;
}

FactsRequest request_for(const std::vector<PlanOptions>& groups, int threads) {
  FactsRequest request{{}, threads};
  for (const PlanOptions& group : groups) {
    request.devices.insert(request.devices.end(), group.devices.begin(), group.devices.end());
  }
  return request;
}

std::vector<std::string> worker_command(const std::string& allocator, const std::string& prefix) {
  std::vector<std::string> words;
  std::istringstream text(prefix);
  for (std::string word; text >> word;) words.push_back(word);
  words.push_back(executable_path());
  words.emplace_back("worker");
  if (allocator != "tuned") words.insert(words.end(), {"--allocator", allocator});
  return words;
}

bool is_repeated(const std::vector<PlanOptions>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const PlanOptions& group) { return group.repeat > 1; });
}

EngineFacts ask(const PlannedRun& run, const FactsRequest& request) {
  if (run.is_isolated()) return ask_worker_for_facts(*run.workers, request);
  return gather_facts(run.engine(), SteadyClock(), request);
}

/// The resolved devices of the group that asked for `count` of them from `first` on, each once.
std::vector<std::string> devices_of(const EngineFacts& facts, std::size_t first, std::size_t count) {
  std::vector<std::string> devices;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::string& name = facts.devices.at(i);
    if (std::find(devices.begin(), devices.end(), name) == devices.end()) devices.push_back(name);
  }
  return devices;
}

std::vector<Case> plan(const PlannedRun& run, const std::vector<PlanOptions>& groups) {
  std::vector<Case> cases;
  std::size_t first = 0;
  for (const PlanOptions& group : groups) {
    const auto devices = devices_of(run.facts, first, group.devices.size());
    const auto more = make_plan(group, devices, run.models, datasets());
    cases.insert(cases.end(), more.begin(), more.end());
    first += group.devices.size();
  }
  return cases;
}

std::optional<Seconds> duration(const std::string& text, const std::string& option) {
  return text.empty() ? std::nullopt : std::optional(parse_duration(text, option));
}

}  // namespace

void check_threads(int threads) {
  require(threads >= 0 && threads <= 4096,
          fmt::format("--threads {}: give 1 to 4096, or 0 for the cores available", threads));
}

/// A prefix is for each worker, so that none is a copy of another.
std::unique_ptr<WorkerSource> make_workers(const std::string& allocator, bool is_repeated) {
  const char* const prefix = std::getenv("GPUBENCH_WORKER_PREFIX");
  std::vector<std::string> command = worker_command(allocator, prefix ? prefix : "");
  return prefix || is_repeated ? executed_workers(std::move(command)) : forked_workers(std::move(command));
}

void check_isolation(const std::string& isolate, const std::string& timeout) {
  require(isolate == "process" || isolate == "none",
          fmt::format("--isolate {}: give process or none", isolate));
  require(isolate == "process" || timeout.empty(), "--timeout needs a process apart; leave --isolate out");
}

std::vector<std::string> isolation_names() { return {"process", "none"}; }

void check_options(const TrainOptions& options) {
  check_threads(options.threads);
  require(options.order_seed >= 0, fmt::format("--order-seed {}: must not be negative", options.order_seed));
  check_isolation(options.isolate, options.timeout);
  allocator_named(options.allocator);
  require(options.isolate == "process" || options.memory_limit.empty(),
          "--memory-limit needs a process for each case; leave --isolate out");
  metering_options(options.energy);
  if (!options.memory_limit.empty()) parse_byte_size(options.memory_limit, "--memory-limit");
}

const Engine& PlannedRun::engine() const { return load_engine(allocator_named(options.allocator)); }

PlannedRun::PlannedRun(const TrainOptions& given, const std::vector<std::string>& given_arguments)
    : options(given), arguments(given_arguments), models("model", {}) {
  check_options(options);
  timeout = duration(options.timeout, "--timeout");
  budget = duration(options.budget, "--budget");
  const std::vector<PlanOptions> groups = groups_of(*this);
  if (is_isolated()) workers = make_workers(options.allocator, is_repeated(groups));
  facts = ask(*this, request_for(groups, options.threads));
  models = Catalog<ModelEntry>("model", facts.models);
  cases = plan(*this, groups);
}

}  // namespace gpubench
