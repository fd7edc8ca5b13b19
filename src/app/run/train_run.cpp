#include "app/run/train_run.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/run/engine_loader.h"
#include "app/run/launched_group.h"
#include "app/run/terminal.h"
#include "engine/execution/wire.h"
#include "engine/plan/plan.h"
#include "engine/sweep/sweep.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/report_writer.h"
#include "pages/run_page.h"

namespace gpubench {
namespace {

using Words = std::vector<std::string>;

/// Prepares the other ranks. Returns the records of all ranks; none for a single one. Throws a usage Error if
/// a rank would have no sample.
std::vector<RankRecord> prepare_ranks(const PlannedRun& run, const DatasetStore& store) {
  for (const Case& c : run.cases) {
    const std::int64_t samples = used_sizes(c, store.make_facts(c)).train;
    require(samples >= c.asked.ranks,
            "--world-size {}: {} has {} training samples; use fewer ranks or more samples", c.asked.ranks,
            c.dataset->name, samples);
  }
  if (!run.launched.group) return {};
  ProcessGroup& group = *run.launched.group;
  const Environment own = rank_environment(run.facts, store.records(), run.options.threads, group.launch());
  PlanMessage plan{run.device_names(),       run.options.threads, allocator_setting(),
                   run.options.memory_limit, run.is_repeated,     {}};
  for (const Case& c : run.cases) plan.cases.push_back(to_json(c));
  return group.prepare(plan, own);
}

/// Throws a usage Error if the log of power would replace the result or its journal.
std::optional<ResultFile> open_run_output(const PlannedRun& run) {
  if (run.options.is_dry_run || run.options.plan.finds_max_batch()) return std::nullopt;
  std::optional<ResultFile> file = run.open_output("");
  const std::string& raw_log = run.options.energy.raw_log;
  if (!file || raw_log.empty()) return file;
  std::error_code ignored;
  const auto log = std::filesystem::weakly_canonical(raw_log, ignored);
  for (const auto& path : {file->path(), journal_path(file->path())}) {
    require(log != std::filesystem::weakly_canonical(path, ignored),
            "--power-log {}: the run itself writes to it; give another file", raw_log);
  }
  return file;
}

bool says_what_to_measure(const TrainOptions& options) {
  return !options.suite.empty() || !options.plan.is_empty();
}

/// Returns the folder of --profile; empty without one.
std::string trace_folder(const TrainGrid& grid) {
  const Words words = grid.words("profile");
  return words.empty() || words.front() == "true" || words.front() == "false" ? "" : words.front();
}

/// Returns options that lead out of a run's own files: a journal may come from elsewhere.
std::vector<std::pair<std::string, std::string>> outside_places(const TrainOptions& options) {
  const bool is_replayed = options.energy.meter.find("replay:") != std::string::npos;
  std::vector<std::pair<std::string, std::string>> places{
      {"--data-dir", options.data.data_dir},
      {"--power-log", options.energy.raw_log},
      {"--profile", trace_folder(options.plan)},
      {"--meter", is_replayed ? options.energy.meter : ""}};
  std::erase_if(places, [](const auto& place) { return place.second.empty(); });
  return places;
}

/// Plans the run of a journal's command line with the options given now laid over it.
std::unique_ptr<PlannedRun> continued_run(const TrainOptions& given, const Words& words) {
  const auto refused = [&](const char* what, const Error& why) {
    return Error(ErrorKind::kData, "journal {}: {} ({})", journal_path(given.resume).string(), what,
                 why.what());
  };
  TrainOptions options;
  try {
    options = parse_over({}, words);
    require(!options.is_dry_run && !options.plan.finds_max_batch(), "it measures nothing");
  } catch (const Error& error) {
    throw refused("holds no command line of a run", error);
  }
  const auto given_places = outside_places(given);
  for (const auto& place : outside_places(options)) {
    require(std::ranges::find(given_places, place) != given_places.end(),
            "--resume {}: the run has {} {}; give {} once more", given.resume, place.first, place.second,
            place.first);
  }
  options.typed = words;
  options.is_quiet = given.is_quiet;
  try {
    return std::make_unique<PlannedRun>(options, words);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    throw refused("its run cannot be planned", error);
  }
}

/// Continues a run by the command line in its journal, unless the present one says what to measure.
ExitCode continue_training(const TrainOptions& options, const Words& arguments) {
  const JournalState state = read_journal(journal_path(options.resume));
  require_kind(state, journal_path(options.resume), /*is_of_operations=*/false);
  Words words = state.header.tool.arguments;
  const bool is_said = says_what_to_measure(options);
  if (is_said) words.clear();
  const bool has_command = !words.empty() && !arguments.front().starts_with("-");
  words.insert(words.end(), arguments.begin() + (has_command ? 1 : 0), arguments.end());
  const auto run = is_said ? std::make_unique<PlannedRun>(options, words) : continued_run(options, words);
  return PlanExecution(*run).run();
}

bool is_default(const TrainingMode& mode) { return mode == TrainingMode{}; }

/// Table of cases and figures. The mode has a column if one is not the default.
class CaseTable {
 public:
  /// `cases` are all that may get a row; `figures` are the headings of the columns after those of the case.
  CaseTable(const std::vector<Case>& cases, const std::vector<TextTable::Heading>& figures)
      : has_modes_(!std::ranges::all_of(cases, [](const Case& c) { return is_default(c.asked.mode); })) {
    for (const char* name : {"model", "dataset", "device"}) table_.add_column(name, Align::kLeft);
    if (has_modes_) table_.add_column("mode", Align::kLeft);
    for (const TextTable::Heading& figure : figures) table_.add_column(figure.text, figure.align);
  }

  void add_row(const Case& c, const std::vector<std::string>& figures) {
    std::vector<std::string> cells{model_text(c), c.dataset->name, c.asked.device};
    if (has_modes_) cells.push_back(is_default(c.asked.mode) ? "default" : mode_text(c.asked.mode));
    append(cells, figures);
    table_.add_row(std::move(cells));
  }

  std::string to_string() const { return table_.to_string(); }

 private:
  bool has_modes_;
  TextTable table_;
};

/// "mlp on cpu", "mlp on cpu, bf16".
std::string case_kind(const Case& c) {
  const std::string mode = mode_text(c.asked.mode);
  return model_text(c) + " on " + c.asked.device + (mode.empty() ? "" : ", " + mode);
}

/// Keeps digits where whole seconds would hide a difference.
std::string short_text(Seconds time) {
  return time.value < 10 ? fmt::format("{:.2g} s", time.value) : duration_text(time);
}

/// `--dry-run`: prints a row for each case with its expected time. Trains nothing.
ExitCode run_dry(const PlanExecution& execution) {
  const std::vector<Case>& cases = execution.plan().cases;
  const Engine& engine = load_engine();
  std::map<std::string, Measured<StepCosts>> costs;  // Of each model, whatever its batch sizes.
  CaseTable table(cases, {{"batch", Align::kRight},
                          {"repeat", Align::kRight},
                          {"protocol"},
                          {"epochs", Align::kRight},
                          {"time", Align::kRight}});
  std::vector<std::string> notes;
  Seconds total{};
  for (const Case& c : cases) {
    const auto [cost, is_new] = costs.try_emplace(model_text(c), missing("this engine lacks the model"));
    Case counted = c;
    // A worker's catalog has names and sizes only; this process builds the model.
    counted.model = engine.models().find(c.model->name);
    if (is_new && counted.model != nullptr) cost->second = engine.step_costs(counted);
    const Measured<Forecast> expected = cost->second.then([&](const StepCosts& known) {
      return forecast(c, describe(c, execution.store().make_facts(c)), known,
                      execution.plan().facts.environment);
    });
    const bool is_known = expected.has_value();
    table.add_row(
        c, {std::to_string(c.asked.batch_size), std::to_string(c.asked.repeat), to_string(c.asked.protocol),
            is_known ? std::to_string(expected.value().epochs) : "unknown",
            is_known ? "about " + short_text(expected.value().training) : "unknown"});
    if (is_known)
      total = total + expected.value().training;
    else
      add_once(notes, fmt::format("time of {} unknown: {}\n", case_kind(c), expected.reason()));
  }
  print(
      "{}\n{}{} cases, about {}{}: an estimate from counted work and the device's peaks, which a "
      "run hardly reaches; the start of each process comes on top. Nothing was trained.\n",
      table.to_string(), join(notes, ""), cases.size(), duration_text(total),
      notes.empty() ? "" : " and the unknown ones");
  return ExitCode::kOk;
}

/// Returns the case with the smallest batch among those that differ only in batch size or repetition.
std::vector<Case> smallest_cases(const std::vector<Case>& cases) {
  const auto kind = [](const Case& c) { return make_identity(c).without({"batch_size"}); };
  std::vector<Case> smallest;
  for (const Case& c : cases) {
    const auto same =
        std::ranges::find_if(smallest, [&](const Case& other) { return kind(other) == kind(c); });
    if (same == smallest.end())
      smallest.push_back(c);
    else if (c.asked.batch_size < same->asked.batch_size)
      *same = c;
  }
  return smallest;
}

/// `--batch max`: searches from the smallest batch of the plan, for each model, device and mode.
ExitCode run_max_batch(PlanExecution& execution) {
  InterruptWatch interrupts(/*ends_at_second=*/true);
  TrialControl control(interrupts);
  const bool is_quiet = execution.plan().options.is_quiet;
  const auto bytes_cell = [](const Measured<Bytes>& bytes) {
    return bytes.has_value() ? byte_text(bytes.value()) : "-";
  };
  CaseTable table(execution.plan().cases, {{"largest batch", Align::kRight},
                                           {"memory a sample", Align::kRight},
                                           {"memory", Align::kRight},
                                           {"what stops a larger one"}});
  for (const Case& c : smallest_cases(execution.plan().cases)) {
    const std::int64_t samples = used_sizes(c, execution.store().make_facts(c)).train;
    const TellTrial tell = [&](std::int64_t size, const PilotResult& result) {
      if (!is_quiet) log_info("{}, batch {}: {}", case_kind(c), size, to_string(result.pilot.status));
    };
    const MaxBatch found = find_max_batch(c, samples, execution.executor(), control, tell);
    table.add_row(
        c, {std::to_string(found.batch_size), bytes_cell(found.bytes_per_sample), bytes_cell(found.peak),
            found.failed_size > 0 ? fmt::format("{} is {}", found.failed_size, found.failure)
                                  : "all training samples fit into one batch"});
    if (interrupts.count() > 0) return ExitCode::kInterrupted;
  }
  print(table.to_string());
  return ExitCode::kOk;
}

}  // namespace

PlanExecution::PlanExecution(const PlannedRun& run)
    : JournaledRun(run.options, open_run_output(run)),
      run_(run),
      store_(run.cases, run.options.data, run.options.is_quiet, shared_),
      ranks_(prepare_ranks(run, store_)),
      power_(run.options, run.facts, clock_),
      rank_observer_(run.launched.group
                         ? make_rank_observer(*run.launched.group, unlike_ranks(ranks_), run.timeout)
                         : nullptr),
      executor_(make_isolated_executor(run.workers, shared_,
                                       execution_options(run.options, run.threads(), run.timeout))) {}

JournalHeader PlanExecution::header() const {
  JournalHeader header;
  header.tool = tool_record(run_.arguments, run_.started_at);
  header.plan.suite = run_.suite;
  header.plan.order_seed = run_.order_seed();
  if (run_.budget) header.plan.budget = *run_.budget;
  header.environment = run_.facts.environment;
  header.environment.datasets = store_.records();
  header.environment.ranks = ranks_;
  return header;
}

CaseRecord PlanExecution::run_case(const Case& c, RowControl& control) {
  return std::get<CaseRecord>(executor_->run(c, planned_row(c), control));
}

Result PlanExecution::planned_row(const Work& work) const {
  const auto& c = std::get<Case>(work);
  return describe(c, store_.make_facts(c));
}

Work PlanExecution::added_work(const Json& json) const {
  return work_from_json(json, model_catalog(), datasets());
}

bool PlanExecution::sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions,
                          Journal& journal) {
  InterruptWatch interrupts(/*ends_at_second=*/false);
  ProgressLine progress(clock_, shows_progress(run_.options.is_quiet));
  const auto peaks =
      make_peak_observer(journal, [this](const std::string& device) { return run_.renewed_peak(device); });
  Observers observers{peaks.get(), &power_.observer()};
  if (rank_observer_) observers.push_back(rank_observer_.get());
  const SweepServices services{
      *executor_, observers, journal, progress, interrupts, clock_, [&] { save_snapshot(journal); }};
  const auto tell = [&](const std::string& sentence) {
    if (!run_.options.is_quiet) log_info(sentence);
  };
  if (run_.budget) return run_within_budget(all, positions, {*run_.budget, run_.begin}, services, tell);
  return run_sweep(all, positions, services) && (!run_.is_plain || run_repeats(all, kPlainRepeats, services));
}

std::string PlanExecution::shown(const RunRecord& run) const {
  return report_formats().require("txt", "format").render(run_outcome(run));
}

ExitCode run_train(const TrainOptions& given, const Words& arguments) {
  if (is_peer_rank()) return run_peer_rank(given, arguments);
  TrainOptions options = given;
  options.typed = arguments;
  if (!options.resume.empty()) return continue_training(options, arguments);
  const PlannedRun run(options, arguments);
  PlanExecution execution(run);
  if (options.is_dry_run) return run_dry(execution);
  if (options.plan.finds_max_batch()) return run_max_batch(execution);
  return execution.run();
}

}  // namespace gpubench
