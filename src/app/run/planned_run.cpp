#include "app/run/planned_run.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "app/command_line.h"
#include "app/run/engine_loader.h"
#include "app/run/power_watch.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/plan/suite.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

/// What the command line alone says, or the suite's groups with the command line laid over each.
std::vector<PlanOptions> list_groups(PlannedRun& run) {
  if (run.options.suite.empty()) return {run.options.plan};
  const Suite suite = load_suite(run.options.suite);
  run.suite = suite.name;
  if (!run.timeout) run.timeout = suite.timeout;
  if (!run.budget) run.budget = suite.budget;
  return mapped(suite.groups,
                [&](const PlanOptions& group) { return parse_over(group, run.arguments).plan; });
}

std::vector<std::string> list_devices(const std::vector<PlanOptions>& groups) {
  std::vector<std::string> devices;
  for (const PlanOptions& group : groups) append(devices, group.devices);
  return devices;
}

/// `prefix` is for each worker, so that none is a copy of another.
std::vector<std::string> worker_command(const std::string& allocator, std::vector<std::string> prefix) {
  std::vector<std::string> words = std::move(prefix);
  append(words, std::vector<std::string>{executable_path(), "worker"});
  if (allocator != "tuned") append(words, std::vector<std::string>{"--allocator", allocator});
  return words;
}

/// All that a launcher has started train together where nobody asks for less.
PlanOptions with_ranks(PlanOptions group) {
  if (group.ranks.empty()) group.ranks = {launched_ranks()};
  if (std::erase(group.ranks, 0) == 0) return group;
  const std::int64_t most = most_ranks_for(group.devices);
  for (std::int64_t ranks = 1; ranks < most; ranks *= 2) add_once(group.ranks, ranks);
  add_once(group.ranks, most);
  std::ranges::sort(group.ranks);
  return group;
}

std::int64_t most_ranks(const std::vector<PlanOptions>& groups) {
  std::int64_t most = 1;
  for (const PlanOptions& group : groups) most = std::max(most, std::ranges::max(group.ranks));
  return most;
}

bool has_repetitions(const std::vector<PlanOptions>& groups) {
  return std::ranges::any_of(groups, [](const PlanOptions& group) { return group.repeat > 1; });
}

/// The resolved devices of the group that asked for `count` of them from `first` on, each once.
std::vector<std::string> resolved(const EngineFacts& facts, std::size_t first, std::size_t count) {
  std::vector<std::string> devices;
  for (std::size_t i = first; i < first + count; ++i) {
    add_once(devices, facts.devices.at(i));
  }
  return devices;
}

std::vector<Case> make_cases(const PlannedRun& run, const PlanOptions& group,
                             const std::vector<std::string>& devices) {
  try {
    return make_plan(group, devices, run.models, datasets());
  } catch (const Error& error) {
    if (run.options.suite.empty()) throw;
    throw Error(error.kind(), "suite {}: {}", run.options.suite, error.what());
  }
}

std::vector<Case> plan(const PlannedRun& run, const std::vector<PlanOptions>& groups) {
  std::vector<Case> cases;
  std::size_t first = 0;
  for (const PlanOptions& group : groups) {
    append(cases, make_cases(run, group, resolved(run.facts, first, group.devices.size())));
    first += group.devices.size();
    require_room(cases.size());
  }
  return cases;
}

std::optional<Seconds> duration(const std::string& text, const std::string& option) {
  return text.empty() ? std::nullopt : std::optional(parse_duration(text, option));
}

}  // namespace

std::vector<std::string> worker_prefix() {
  const char* const prefix = std::getenv("GPUBENCH_WORKER_PREFIX");
  std::istringstream text(prefix ? prefix : "");
  return {std::istream_iterator<std::string>(text), {}};
}

void check_threads(int threads) {
  require(threads >= 0 && threads <= 4096, "--threads {}: give 1 to 4096, or 0 for the cores available",
          threads);
}

std::vector<std::string> isolation_names() { return {"process", "none"}; }

PlannedWork::PlannedWork(const RunOptions& given, const std::vector<std::string>& given_arguments)
    : arguments(given_arguments),
      started_at(utc_timestamp()),
      timeout(duration(given.timeout, "--timeout")),
      common_(given) {
  forbid_mps_fallback(given.is_quiet);
  check_threads(given.threads);
  require(is_isolated() || given.isolate == "none", "--isolate {}: give process or none", given.isolate);
  require(is_isolated() || !timeout, "--timeout needs a process apart; leave --isolate out");
  require(!timeout || timeout->value > 0, "--timeout {}: must be above 0", given.timeout);
  allocator_named(given.allocator);
}

const Engine& PlannedWork::engine() const { return load_engine(allocator_named(common_.allocator)); }

std::vector<std::string> PlannedWork::device_names() const { return names_in(facts.environment.devices); }

std::optional<DeviceRecord> PlannedWork::renewed_roof(const std::string& device) const {
  try {
    const EngineFacts renewed = make_facts({{device}, common_.threads, /*renews_roofs=*/true});
    return renewed.environment.devices.at(0);
  } catch (const std::exception& error) {
    log_info("the peak of {} cannot be measured again: {}", device, error.what());
    return std::nullopt;
  }
}

EngineFacts PlannedWork::make_facts(const FactsRequest& request) const {
  if (is_isolated()) return facts_of_worker(request);
  return gather_facts(engine(), SteadyClock(), request);
}

RunOutput PlannedWork::output(const std::string& prefix) const {
  RunOutput output{std::nullopt, common_.is_shared, common_.is_quiet, common_.overwrites};
  if (!common_.resume.empty()) {
    output.file.emplace(result_path(common_.resume).string(), "", /*overwrites=*/true);
  } else if (common_.output != "-") {
    const std::string host = common_.is_shared ? "shared" : host_name();
    // Whether it is free, its journal says better; see Journal::create().
    output.file.emplace(common_.output, prefix + result_name(started_at, host, device_names()),
                        /*overwrites=*/true);
  }
  return output;
}

/// Whoever puts words before a worker has to know that it is these that fail.
EngineFacts PlannedWork::facts_of_worker(const FactsRequest& request) const {
  try {
    return ask_worker_for_facts(workers, request, timeout);
  } catch (const Error& error) {
    const std::string prefix = join(worker_prefix(), " ");
    const bool is_of_worker =
        error.kind() != ErrorKind::kUsage || dynamic_cast<const UnstartableProgram*>(&error) != nullptr;
    if (prefix.empty() || !is_of_worker) throw;
    throw Error(ErrorKind::kUsage,
                "GPUBENCH_WORKER_PREFIX={}: {}; unset it, or give words that run a command", prefix,
                error.what());
  }
}

void PlannedWork::use_threads(int threads) {
  if (common_.threads == 0) common_.threads = threads;
}

void PlannedWork::ask_engine(const std::vector<std::string>& devices, bool is_repeated) {
  if (is_isolated()) {
    const std::vector<std::string> prefix = worker_prefix();
    std::vector<std::string> command = worker_command(common_.allocator, prefix);
    workers = !prefix.empty() || is_repeated ? executed_workers(std::move(command))
                                             : forked_workers(std::move(command));
  }
  facts = make_facts({devices, common_.threads});
}

PlannedRun::PlannedRun(const TrainOptions& given, const std::vector<std::string>& given_arguments)
    : PlannedWork(given, given_arguments), options(given), models("model", {}) {
  require(options.order_seed >= 0, "--order-seed {}: must not be negative", options.order_seed);
  require(is_isolated() || options.memory_limit.empty(),
          "--memory-limit needs a process for each case; leave --isolate out");
  metering_options(options.energy);
  check_meters(options.energy.meter);
  if (!options.memory_limit.empty()) parse_byte_size(options.memory_limit, "--memory-limit");
  budget = duration(options.budget, "--budget");
  const std::vector<PlanOptions> groups = mapped(list_groups(*this), with_ranks);
  launched = launch_group(most_ranks(groups), options);
  if (launched.group) use_threads(launched.group->threads_per_rank());
  options.threads = threads();
  // What is left of a budget buys repetitions.
  is_repeated = has_repetitions(groups) || budget.has_value();
  ask_engine(list_devices(groups), is_repeated);
  models = Catalog<ModelEntry>("model", facts.models);
  cases = plan(*this, groups);
}

}  // namespace gpubench
