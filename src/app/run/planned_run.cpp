#include "app/run/planned_run.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/run/engine_loader.h"
#include "device/host/host_process.h"
#include "engine/plan/suite.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

/// Returns the plan of the command line, or the suite's groups with the command line laid over each.
std::vector<TrainGrid> list_groups(PlannedRun& run) {
  if (run.options.suite.empty()) return {run.options.plan};
  const Suite suite = load_suite(run.options.suite);
  run.suite = suite.name;
  if (!run.timeout) run.timeout = suite.timeout;
  if (!run.budget) run.budget = suite.budget;
  return mapped(suite.groups, [&](const TrainGrid& group) { return parse_over(group, run.arguments).plan; });
}

/// Returns what `work` does, whose errors name the suite, if there is one.
template <class Work>
auto in_suite(const std::string& suite, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (suite.empty()) throw;
    throw Error(error.kind(), "suite {}: {}", suite, error.what());
  }
}

void check_batch(const TrainGrid& group, const std::string& suite) {
  if (!group.finds_max_batch()) return;
  require(group.words("batch_size").size() == 1, "--batch max: stands alone; leave the other sizes out");
  require(suite.empty(),
          "--batch max: a suite measures times; search without it, as in 'gpubench --model cnn --batch max'");
}

/// Returns the points of a group. Without --world-size, all ranks that a launcher started train together.
std::vector<TrainPoint> list_points(const TrainGrid& group) {
  std::vector<TrainPoint> points;
  bool has_all = false;  // Then a number may stand in the list as well.
  for (TrainPoint point : group.points()) {
    if (!group.is_given("world_size")) point.ranks = launched_ranks();
    if (point.ranks > 0) {
      if (has_all)
        add_once(points, point);
      else
        points.push_back(std::move(point));
      continue;
    }
    has_all = true;
    const std::int64_t most = most_ranks_for({point.device});
    for (point.ranks = 1; point.ranks < most; point.ranks *= 2) add_once(points, point);
    point.ranks = most;
    add_once(points, point);
  }
  return points;
}

/// True if no option says how long or how often to train, which then is kPlainRepeats times.
bool is_plain_run(const TrainOptions& options) {
  for (const Parameter<TrainPoint>& parameter : train_parameters()) {
    if (parameter.use.topic == Topic::kLength && options.plan.is_given(parameter.key)) return false;
  }
  return options.suite.empty() && !options.is_dry_run && !options.plan.finds_max_batch();
}

/// Returns the cases of a group with resolved devices. Names of one device count once.
std::vector<Case> plan(const PlannedRun& run, const std::vector<TrainPoint>& group,
                       const std::map<std::string, std::string>& devices) {
  std::map<std::string, std::string> words;  // The first word for each device.
  std::vector<TrainPoint> points;
  for (TrainPoint point : group) {
    const std::string& device = devices.at(point.device);
    if (words.emplace(device, point.device).first->second != point.device) continue;
    point.device = device;
    points.push_back(std::move(point));
  }
  return in_suite(run.options.suite, [&] { return make_plan(points, model_catalog(), datasets()); });
}

/// Adds GPUBENCH_WORKER_PREFIX to the error of a worker that cannot be asked, if it is set.
EngineFacts ask_worker(const ProcessFactory& workers, const FactsRequest& request,
                       const std::optional<Seconds>& timeout) {
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

Dataset synthetic_for(const Case& c, const std::string& why) {
  const SplitSizes& whole = c.dataset->sizes;
  // A limit counts sequences, not tokens.
  const std::int64_t limit = c.dataset->spec.task == Task::kLanguage ? 0 : c.asked.max_samples;
  const SplitSizes sizes{used_samples(whole.train, limit), used_samples(whole.validation, limit),
                         used_samples(whole.test, limit)};
  Dataset dataset = make_synthetic(c.dataset->spec, sizes, static_cast<std::uint64_t>(c.asked.seed));
  dataset.record.name = c.dataset->name;
  dataset.record.note = why;
  return dataset;
}

/// Loads the dataset's own files, downloaded first if they are missing and that is allowed.
Dataset real(const Case& c, const DataOptions& options, bool is_quiet) {
  const auto folder = data_directory(options.data_dir);
  const bool may_fetch = c.source() == DataSource::kRealIfPossible && !options.is_offline;
  if (may_fetch && !c.dataset->is_present(dataset_folder(*c.dataset, folder))) {
    if (!is_quiet)
      log_info("downloading {} to {}; --offline trains on synthetic data instead", c.dataset->name,
               folder.string());
    fetch_dataset(*c.dataset, folder, download_progress(is_quiet));
  }
  return load_dataset(*c.dataset, folder, options.is_offline);
}

Dataset load(const Case& c, const DataOptions& options, bool is_quiet) {
  if (c.source() == DataSource::kSynthetic) return synthetic_for(c, "asked for with --dataset synthetic");
  try {
    return real(c, options, is_quiet);
  } catch (const Error& error) {
    // Without a data directory, fall back to synthetic data.
    const bool is_usage = error.kind() == ErrorKind::kUsage && options.data_dir.empty();
    if (c.source() == DataSource::kReal || (error.kind() != ErrorKind::kData && !is_usage)) throw;
    return synthetic_for(c, error.what());
  }
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

PlannedWork::PlannedWork(const RunOptions& given, const std::vector<std::string>& given_arguments)
    : arguments(given_arguments), started_at(utc_timestamp()), timeout(given.timeout), common_(given) {
  forbid_mps_fallback(given.is_quiet);
  check_threads(given.threads);
  require(!timeout || timeout->value > 0, "--timeout: must be above 0");
  allocator_setting();  // Throws for a wrong one.
}

std::vector<std::string> PlannedWork::device_names() const { return names_in(facts.environment.devices); }

std::optional<DeviceRecord> PlannedWork::renewed_peak(const std::string& device) const {
  try {
    const EngineFacts renewed = make_facts({{device}, common_.threads, /*renews_peaks=*/true});
    return renewed.environment.devices.at(0);
  } catch (const std::exception& error) {
    log_info("the peak of {} cannot be measured again: {}", device, error.what());
    return std::nullopt;
  }
}

EngineFacts PlannedWork::make_facts(const FactsRequest& request) const {
  return ask_worker(workers, request, timeout);
}

std::optional<ResultFile> PlannedWork::open_output(const std::string& prefix) const {
  if (!common_.resume.empty())
    return ResultFile(result_path(common_.resume).string(), "", /*overwrites=*/true);
  // The journal checks whether the file may be replaced; see JournaledRun.
  ResultOutput to = common_;
  to.overwrites = true;
  return open_result(to, prefix, started_at, device_names());
}

void PlannedWork::use_threads(int threads) {
  if (common_.threads == 0) common_.threads = threads;
}

void PlannedWork::ask_engine(FactsRequest request, bool is_repeated) {
  std::vector<std::string> command = worker_prefix();
  const bool is_executed = !command.empty() || is_repeated;
  append(command, std::vector<std::string>{executable_path(), "worker"});
  workers = is_executed ? executed_workers(std::move(command)) : forked_workers(std::move(command));
  request.threads = common_.threads;
  facts = make_facts(request);
}

PlannedRun::PlannedRun(const TrainOptions& given, const std::vector<std::string>& given_arguments)
    : PlannedWork(given, given_arguments), options(given), budget(given.budget) {
  check_meters(options.energy.meter);
  execution_options(options, 0, timeout);
  const std::vector<std::vector<TrainPoint>> groups = mapped(list_groups(*this), [&](const TrainGrid& group) {
    return in_suite(options.suite, [&] {
      check_batch(group, options.suite);
      return list_points(group);
    });
  });
  std::int64_t most_ranks = 1;
  std::vector<std::string> words;
  is_plain = is_plain_run(options) && !budget;
  is_repeated = is_plain || budget.has_value();  // The rest of a budget buys repetitions.
  for (const std::vector<TrainPoint>& group : groups) {
    for (const TrainPoint& point : group) {
      most_ranks = std::max(most_ranks, point.ranks);
      add_once(words, point.device);
      is_repeated = is_repeated || point.repeat > 1;
    }
  }
  launched = launch_group(most_ranks, options);
  if (launched.group) use_threads(launched.group->threads_per_rank());
  options.threads = threads();
  ask_engine({words}, is_repeated);
  std::map<std::string, std::string> devices;
  for (std::size_t i = 0; i < words.size(); ++i) devices[words[i]] = facts.devices[i];
  for (const std::vector<TrainPoint>& group : groups) append(cases, plan(*this, group, devices));
  require_room(cases.size());
}

ExecutionOptions execution_options(const TrainOptions& options, int threads,
                                   const std::optional<Seconds>& timeout) {
  ExecutionOptions execution{threads, timeout, std::nullopt, shows_progress(options.is_quiet)};
  if (!options.memory_limit.empty())
    execution.memory_limit = parse_byte_size(options.memory_limit, "--memory-limit");
  return execution;
}

DatasetStore::DatasetStore(const std::vector<Case>& cases, const DataOptions& options, bool is_quiet,
                           SharedDatasets& shared) {
  for (const Case& c : cases) {
    if (facts_.contains(c.dataset->name)) continue;
    const Dataset dataset = load(c, options, is_quiet);
    const DatasetRecord& record = dataset.record;
    if (!is_quiet && record.is_synthetic)
      log_info("{}: synthetic data in its place ({})", record.name, record.note);
    else if (!is_quiet && !record.note.empty())
      log_info("{}: {}", record.name, record.note);
    facts_[c.dataset->name] = gpubench::make_facts(dataset);
    records_.push_back(record);
    shared.emplace(c.dataset->name, dataset);
  }
}

DownloadProgress download_progress(bool is_quiet) {
  if (!shows_progress(is_quiet)) return [](const std::string&, Bytes, Bytes) {};
  return [](const std::string& file, Bytes done, Bytes total) {
    constexpr double kMegabyte = 1e6;
    const bool is_done = done == total;
    draw_status(fmt::format("\rdownloading {}: {:.1f} of {:.1f} MB{}", file,
                            static_cast<double>(done.value) / kMegabyte,
                            static_cast<double>(total.value) / kMegabyte, is_done ? "\n" : ""));
  };
}

PowerWatch::PowerWatch(const TrainOptions& options, const EngineFacts& facts, const Clock& clock) {
  MeteringOptions metering;
  if (!options.is_dry_run && !options.plan.finds_max_batch()) {
    OpenMeters meters =
        open_meters(options.energy.meter, clock, metered_environment(facts.environment, facts.gpus));
    metering.why_none = meters.why_none;
    if (!meters.sources.empty()) {
      pause_ = make_pause();
      sampler_ = start_sampler(std::move(meters.sources), facts.environment.available_cores, clock, *pause_,
                               options.energy.raw_log);
    }
  }
  observer_ = make_power_observer(sampler_.get(), clock, metering, [](Seconds duration) {
    std::this_thread::sleep_for(std::chrono::duration<double>(duration.value));
  });
}

}  // namespace gpubench
