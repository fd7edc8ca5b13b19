#include "app/run/planned_run.h"

#include <chrono>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <thread>

#include "app/run/engine_loader.h"
#include "app/run/terminal.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

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
Dataset real(const Case& c, const RunOptions& options) {
  const auto folder = data_directory(options.data_dir);
  const bool may_fetch = c.source() == DataSource::kRealIfPossible && !options.is_offline;
  if (may_fetch && !c.dataset->is_present(dataset_folder(*c.dataset, folder))) {
    if (!options.is_quiet)
      log_info("downloading {} to {}; --offline trains on synthetic data instead", c.dataset->name,
               folder.string());
    fetch_dataset(*c.dataset, folder, download_progress(options.is_quiet));
  }
  return load_dataset(*c.dataset, folder, options.is_offline);
}

Dataset load(const Case& c, const RunOptions& options) {
  if (c.source() == DataSource::kSynthetic) return synthetic_for(c, "asked for with --dataset synthetic");
  try {
    return real(c, options);
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

PlannedRun::PlannedRun(const RunOptions& given, const std::vector<std::string>& given_arguments)
    : options(given), arguments(given_arguments), started_at(utc_timestamp()) {
  forbid_mps_fallback(options.is_quiet);
  require(!options.timeout || options.timeout->value > 0, "--timeout: must be above 0");
  check_meters(options.meter);
  if (!options.memory_limit.empty()) memory_limit = parse_byte_size(options.memory_limit, "--memory-limit");
  allocator_setting();  // Throws for a wrong one.
}

std::vector<Case> PlannedRun::cases() const {
  std::vector<Case> cases;
  for (const Work& row : work) {
    if (const auto* const c = std::get_if<Case>(&row)) cases.push_back(*c);
  }
  return cases;
}

std::vector<std::string> PlannedRun::device_names() const { return names_in(facts.environment.devices); }

std::optional<DeviceRecord> PlannedRun::renewed_peak(const std::string& device) const {
  try {
    return make_facts({{device}, options.threads, /*renews_peaks=*/true}).environment.devices.at(0);
  } catch (const std::exception& error) {
    log_info("the peak of {} cannot be measured again: {}", device, error.what());
    return std::nullopt;
  }
}

EngineFacts PlannedRun::make_facts(const FactsRequest& request) const {
  return ask_worker(workers, request, options.timeout);
}

void PlannedRun::ask_engine(FactsRequest request) {
  std::vector<std::string> command = worker_prefix();
  const bool is_executed = !command.empty() || is_repeated;
  append(command, std::vector<std::string>{executable_path(), "worker"});
  workers = is_executed ? executed_workers(std::move(command)) : forked_workers(std::move(command));
  request.threads = options.threads;
  facts = make_facts(request);
  for (std::size_t i = 0; i < request.devices.size(); ++i) devices_[request.devices[i]] = facts.devices.at(i);
}

RunResources::RunResources(const PlannedRun& run) {
  for (const Case& c : run.cases()) {
    load_data(c, run);
    const std::int64_t samples = used_sizes(c, data_facts(c)).train;
    require(samples >= c.asked.ranks,
            "--world-size {}: {} has {} training samples; use fewer ranks or more samples", c.asked.ranks,
            c.dataset->name, samples);
  }
  open_power_meters(run);
  const RunOptions& options = run.options;
  executor_ = make_isolated_executor(
      run.workers, shared_,
      {options.threads, options.timeout, run.memory_limit, shows_progress(options.is_quiet)});
}

void RunResources::load_data(const Case& c, const PlannedRun& run) {
  const std::string& name = c.dataset->name;
  const bool is_quiet = run.options.is_quiet;
  if (facts_.contains(name)) return;
  const Dataset dataset = load(c, run.options);
  const DatasetRecord& record = dataset.record;
  if (!is_quiet && record.is_synthetic)
    log_info("{}: synthetic data in its place ({})", record.name, record.note);
  else if (!is_quiet && !record.note.empty())
    log_info("{}: {}", record.name, record.note);
  facts_[name] = make_facts(dataset);
  records_.push_back(record);
  shared_.emplace(name, dataset);
}

void RunResources::open_power_meters(const PlannedRun& run) {
  OpenMeters meters =
      open_meters(run.options.meter, clock_, metered_environment(run.facts.environment, run.facts.gpus));
  MeteringOptions metering;
  metering.why_none = meters.why_none;
  if (!meters.sources.empty()) {
    pause_ = make_pause();
    sampler_ = start_sampler(std::move(meters.sources), run.facts.environment.available_cores, clock_,
                             *pause_, run.options.power_log);
  }
  power_observer_ = make_power_observer(sampler_.get(), clock_, metering, [](Seconds duration) {
    std::this_thread::sleep_for(std::chrono::duration<double>(duration.value));
  });
}

Result RunResources::planned_row(const Work& work) const {
  if (const auto* const c = std::get_if<Case>(&work)) return describe(*c, data_facts(*c));
  return describe(std::get<OpWork>(work));
}

}  // namespace gpubench
