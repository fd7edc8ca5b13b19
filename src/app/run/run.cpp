#include "app/run/run.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <thread>

#include "app/run/engine_loader.h"
#include "app/run/terminal.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "history/history.h"
#include "pages/run_page.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

Dataset synthetic_for(const Case& c, const std::string& why) {
  const SplitSizes& whole = c.dataset->sizes;
  // A limit counts sequences, not tokens.
  const DataSpec spec = data_spec(c);
  const std::int64_t limit = spec.task == Task::kLanguage ? 0 : c.asked.max_samples;
  const SplitSizes sizes{used_samples(whole.train, limit), used_samples(whole.validation, limit),
                         used_samples(whole.test, limit)};
  Dataset dataset = make_synthetic(spec, sizes, static_cast<std::uint64_t>(c.asked.seed));
  dataset.record.name = c.dataset->name;
  dataset.record.note = why;
  return dataset;
}

/// Loads the real dataset. Downloads missing files first, if allowed.
Dataset real(const Case& c, const RunOptions& options) {
  if (!c.folder.empty()) return c.dataset->load(c.folder, data_spec(c));
  const auto folder = data_directory(options.data_dir);
  const bool may_fetch =
      c.source() == DataSource::kRealIfPossible && !options.is_offline && !c.dataset->files.empty();
  if (may_fetch && !c.dataset->is_present(dataset_folder(*c.dataset, folder))) {
    if (!options.is_quiet)
      log_info("downloading {} to {}; --offline trains on synthetic data instead", c.dataset->name,
               folder.string());
    fetch_dataset(*c.dataset, folder, download_progress(options.is_quiet));
  }
  return load_dataset(*c.dataset, data_spec(c), folder, options.is_offline);
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

std::filesystem::path find_store(const std::string& file) {
  if (!file.empty()) return file;
  const char* const variable = std::getenv("GPUBENCH_STORE");
  return variable != nullptr && *variable != '\0' ? variable : default_store_path(host_name());
}

OptionalStore open_store(const StoreOptions& options) {
  if (options.has_no_store) return {};
  const std::filesystem::path path = find_store(options.store);
  return path.empty() ? OptionalStore() : OptionalStore(path);
}

std::vector<std::string> worker_prefix() {
  const char* const prefix = std::getenv("GPUBENCH_WORKER_PREFIX");
  std::istringstream text(prefix ? prefix : "");
  return {std::istream_iterator<std::string>(text), {}};
}

PlannedRun::PlannedRun(const RunOptions& given)
    : options(given), store(open_store(given)), started_at(utc_timestamp()) {
  forbid_mps_fallback(options.is_quiet);
  require(!options.timeout || options.timeout->value > 0, "--timeout: must be above 0");
  check_meters(options.meter);
  if (options.resume) former = find_former(options, store);
  if (!options.memory_limit.empty()) memory_limit = parse_byte_size(options.memory_limit, "--memory-limit");
  allocator_setting();  // Throws for an invalid value.
}

std::vector<Case> PlannedRun::cases() const {
  std::vector<Case> cases;
  for (const Work& row : work) {
    if (const auto* const c = std::get_if<Case>(&row)) cases.push_back(*c);
  }
  return cases;
}

std::vector<std::string> PlannedRun::device_names() const { return names_in(facts.environment.devices); }

std::optional<DeviceRecord> PlannedRun::renewed_peak(const std::string& device) {
  try {
    return make_facts({{device}, options.threads, /*renews_peaks=*/true}).environment.devices.at(0);
  } catch (const std::exception& error) {
    log_info("{}: cannot measure the peak again: {}", device, error.what());
    return std::nullopt;
  }
}

EngineFacts PlannedRun::make_facts(const FactsRequest& request) {
  try {
    return ask_worker_for_facts(workers, request, store, options.timeout);
  } catch (const Error& error) {
    const std::string prefix = join(worker_prefix(), " ");
    const bool is_of_worker =
        error.kind() != ErrorKind::kUsage || dynamic_cast<const UnstartableProgram*>(&error) != nullptr;
    if (prefix.empty() || !is_of_worker) throw;
    throw Error(ErrorKind::kUsage,
                "GPUBENCH_WORKER_PREFIX={}: {}; unset it, or set a prefix that runs a command", prefix,
                error.what());
  }
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

RunResources::RunResources(PlannedRun& run) {
  for (const Case& c : run.cases()) {
    load_data(c, run);
    const std::int64_t samples = used_sizes(c, data_facts(c)).train;
    require(samples >= c.asked.ranks,
            "--world-size {}: {} has {} training samples; use fewer ranks or more samples", c.asked.ranks,
            c.dataset->name, samples);
  }
  const RunOptions& options = run.options;
  OpenMeters meters =
      open_meters(options.meter, clock_, metered_environment(run.facts.environment, run.facts.gpus));
  if (!meters.sources.empty()) {
    pause_ = make_pause();
    sampler_ = start_sampler(std::move(meters.sources), run.facts.environment.available_cores, clock_,
                             *pause_, options.power_log);
  }
  power_observer_ = make_power_observer(sampler_.get(), clock_, meters.why_none, [](Seconds duration) {
    std::this_thread::sleep_for(std::chrono::duration<double>(duration.value));
  });
  executor_ = make_isolated_executor(
      run.workers, shared_, run.store, run.facts.environment,
      {options.threads, options.timeout, run.memory_limit, shows_progress(options.is_quiet)});
}

void RunResources::load_data(const Case& c, const PlannedRun& run) {
  const std::string key = data_key(c);
  const bool is_quiet = run.options.is_quiet;
  if (facts_.contains(key)) return;
  const Dataset dataset = load(c, run.options);
  const DatasetRecord& record = dataset.record;
  if (!is_quiet && record.is_synthetic)
    log_info("{}: uses synthetic data instead ({})", record.name, record.note);
  else if (!is_quiet && !record.note.empty())
    log_info("{}: {}", record.name, record.note);
  facts_[key] = make_facts(dataset);
  records_.push_back(record);
  shared_.emplace(key, dataset);
}

Result RunResources::planned_row(const Work& work) const {
  if (const auto* const c = std::get_if<Case>(&work)) return describe(*c, data_facts(*c));
  return describe(std::get<OpWork>(work));
}

namespace {

/// Opens the result file; returns nullopt for stdout. Throws a usage Error if the power log would replace it.
std::optional<ResultFile> open_output(const PlannedRun& plan) {
  std::optional<ResultFile> file;
  if (plan.former) {
    file = ResultFile(plan.former->output, "", /*overwrites=*/true);
  } else {
    const std::string& kind = plan.plan.kind;
    const char* const prefix = !plan.plan.has_operations() ? "" : kind == "net" ? "net-" : "ops-";
    ResultOutput to = plan.options;
    to.overwrites = true;  // RecordedRun::begin() checks the file.
    file = open_result(to, prefix, plan.started_at, plan.device_names());
  }
  const std::string& power_log = plan.options.power_log;
  std::error_code ignored;
  const bool is_clear = power_log.empty() || !file ||
                        std::filesystem::weakly_canonical(power_log, ignored) !=
                            std::filesystem::weakly_canonical(file->path(), ignored);
  require(is_clear, "--power-log {}: is the result file; give another file", power_log);
  return file;
}

class RecordedRun {
 public:
  explicit RecordedRun(PlannedRun& plan)
      : plan_(plan),
        file_(open_output(plan)),
        resources_(plan),
        header_{tool_record(plan.options.arguments, plan.started_at),
                plan.plan,
                plan.facts.environment,
                {},
                {},
                {}} {
    header_.environment.datasets = resources_.dataset_records();
    if (!plan.rank_group) return;
    ProcessGroup& group = *plan.rank_group;
    const RunOptions& options = plan.options;
    PlanMessage message{plan.device_names(),  options.threads,  allocator_setting(),
                        options.memory_limit, plan.is_repeated, {}};
    for (const Case& c : plan.cases()) message.cases.push_back(to_json(c));
    header_.environment.ranks =
        group.prepare(message, rank_environment(header_.environment, options.threads, group.launch()));
    rank_observer_ = make_rank_observer(group, unlike_ranks(header_.environment.ranks), options.timeout);
  }

  /// Throws a usage Error if the run to resume differs from the plan.
  ExitCode run(Interrupts& interrupts) {
    std::vector<Work> all = plan_.work;
    if (plan_.former) add_repeats(plan_.former->document, all);
    const auto planned = mapped(all, [this](const Work& work) { return resources_.planned_row(work); });
    Recorder recorder = plan_.former ? resume(planned) : begin(planned);
    const auto awake = keep_awake();
    const std::vector<std::size_t> order =
        execution_order(mapped(all, get_repeat), recorder.header().plan.order_seed);
    const std::vector<std::size_t> positions = unfinished(recorder, order);
    if (positions.empty() && !plan_.options.is_quiet) log_info("all rows are finished; nothing left to run");
    const bool is_whole = sweep(all, positions, recorder, interrupts);
    if (is_whole) recorder.end();
    return finish(recorder, !is_whole);
  }

 private:
  /// Throws a usage Error if the result file belongs to another run.
  Recorder begin(const std::vector<Result>& planned) {
    const bool is_stored = file_ && file_->is_replaceable();
    if (is_stored && !plan_.options.overwrites) require_unused(file_->path(), plan_.store);
    const std::string output = is_stored ? std::filesystem::absolute(file_->path()).string() : "";
    return {header_, planned, plan_.store, output};
  }

  Recorder resume(const std::vector<Result>& planned) {
    const FormerRun& former = *plan_.former;
    const auto found = differences(former.document, header_, planned);
    require(found.empty(), "--resume {}: the run differs ({}); start a new run without --resume",
            former.output, join(found, "; "));
    return Recorder::resume(former.document, planned, plan_.store, former.output);
  }

  /// Runs the rows of `all` at `positions`. Returns false if the user interrupted it.
  bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions, Recorder& recorder,
             Interrupts& interrupts) {
    const Clock& clock = resources_.clock();
    const bool is_quiet = plan_.options.is_quiet;
    const auto progress = is_quiet                   ? std::make_unique<Progress>()
                          : shows_progress(is_quiet) ? make_progress_line(clock)
                                                     : make_progress_log(clock);
    const auto peaks = make_peak_observer(
        recorder, [this](const std::string& device) { return plan_.renewed_peak(device); });
    Observers observers{peaks.get(), &resources_.power_observer()};
    if (rank_observer_) observers.push_back(rank_observer_.get());
    const SweepServices services{
        resources_.executor(),           observers, recorder, *progress, interrupts, clock,
        [&] { save_snapshot(recorder); }};
    const auto report = [&](const std::string& message) {
      if (!is_quiet) log_info(message);
    };
    if (const auto budget = plan_.options.budget)
      return run_within_budget(all, positions, {*budget, plan_.begin}, services, report);
    return run_sweep(all, positions, services) &&
           (!plan_.is_plain || run_repeats(all, kPlainRepeats, services));
  }

  /// Saves the document so far. If the store has all rows, saves long documents less often.
  void save_snapshot(const Recorder& recorder) {
    constexpr double kRarity = 10;
    const Clock& clock = resources_.clock();
    const Seconds begin = clock.now();
    if (!file_ || (plan_.store.get() != nullptr && begin < next_snapshot_)) return;
    file_->save_snapshot(run_document(recorder.document()));
    const Seconds end = clock.now();
    next_snapshot_ = end + Seconds{kRarity * (end - begin).value};
  }

  /// Returns the text to print: the page without details, of a matrix only the first section.
  std::string shown(const RunRecord& result) const {
    Page page = plan_.plan.has_operations() ? run_page(result, file_->path().filename().string())
                                            : run_outcome(result);
    if (plan_.plan.kind == "matrix") page.sections.resize(1);
    page.details_option = "'gpubench show --details'";
    return render_for_stdout(std::move(page), report_formats().require("txt", "--format"),
                             plan_.options.is_quiet);
  }

  ExitCode finish(Recorder& recorder, bool is_interrupted) {
    const RunRecord result = recorder.document();
    for (const DeviceRecord& device : result.environment.devices)
      PeakStore(plan_.store).raise_peak(device, result.environment);
    finish_result(file_, run_document(result), file_ ? shown(result) : "", plan_.options.is_quiet);
    recorder.save(result);
    plan_.store.attempt([](Store& store) { index_runs(store); });
    if (is_interrupted) return ExitCode::kInterrupted;
    const auto is_fine = [&](const RowRecord& row) {
      const bool is_answer = result.plan.kind == "matrix" && row.status == RowStatus::kUnsupported;
      return row.status == RowStatus::kOk || is_answer;
    };
    const bool are_fine =
        std::ranges::all_of(result.cases, is_fine) && std::ranges::all_of(result.operations, is_fine);
    return are_fine ? ExitCode::kOk : ExitCode::kCaseFailed;
  }

  PlannedRun& plan_;
  std::optional<ResultFile> file_;
  RunResources resources_;
  RunRecord header_;
  std::unique_ptr<Observer> rank_observer_;  // Null for a single rank.
  Seconds next_snapshot_;
};

}  // namespace

ExitCode run_recorded(PlannedRun& plan, Interrupts* interrupts) {
  RecordedRun run(plan);
  if (interrupts != nullptr) return run.run(*interrupts);
  return run.run(*watch_interrupts());
}

}  // namespace gpubench
