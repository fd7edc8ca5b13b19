#include "app/run/execution.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "app/files/own_identity.h"
#include "app/run/interrupt_watch.h"
#include "app/run/progress_line.h"
#include "device/host/host.h"
#include "engine/execution/case_json.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/sweep/budget.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/byte_size.h"
#include "pages/run_table.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

bool is_watched(const TrainOptions& options) { return !options.is_quiet && isatty(STDERR_FILENO) != 0; }

ExecutionOptions execution_options(const PlannedRun& run) {
  const TrainOptions& options = run.options;
  ExecutionOptions execution{options.threads, run.timeout, std::nullopt, is_watched(options)};
  if (!options.memory_limit.empty()) {
    execution.memory_limit = parse_byte_size(options.memory_limit, "--memory-limit");
  }
  return execution;
}

std::unique_ptr<CaseExecutor> make_executor(const PlannedRun& run, const SharedDatasets& shared,
                                            const DatasetStore& store, const Clock& clock) {
  if (run.is_isolated()) return make_isolated_executor(*run.workers, shared, execution_options(run));
  return make_local_executor(run.engine(), store, clock);
}

std::vector<std::string> device_names(const PlannedRun& run) {
  std::vector<std::string> names;
  for (const DeviceRecord& device : run.facts.environment.devices) names.push_back(device.name);
  return names;
}

std::optional<ResultFile> open_result(const PlannedRun& run, const std::string& started_at) {
  if (!run.options.resume.empty()) return ResultFile(result_path(run.options.resume).string(), "");
  const bool has_result = !run.options.is_dry_run && !run.options.finds_max_batch;
  if (run.options.output == "-" || !has_result) return std::nullopt;
  const std::string host = run.options.is_shared ? "shared" : host_name();
  return ResultFile(run.options.output, result_name(started_at, host, device_names(run)));
}

bool is_all_ok(const RunRecord& run) {
  return std::all_of(run.cases.begin(), run.cases.end(),
                     [](const CaseRecord& record) { return record.status == CaseStatus::kOk; });
}

}  // namespace

PlanExecution::PlanExecution(const PlannedRun& run)
    : run_(run),
      started_at_(utc_timestamp()),
      file_(open_result(run, started_at_)),
      store_(run.cases, run.options.data, run.options.is_quiet, run.is_isolated() ? &shared_ : nullptr),
      power_(run.options, clock_),
      executor_(power_.watch(make_executor(run, shared_, store_, clock_))) {}

JournalHeader PlanExecution::header() const {
  JournalHeader header;
  header.tool = tool_record(run_.arguments, started_at_);
  header.plan = {run_.suite, run_.options.isolate, run_.options.order_seed, absent("no budget was given")};
  if (run_.budget) header.plan.budget = *run_.budget;
  header.environment = run_.facts.environment;
  header.environment.datasets = store_.records();
  return header;
}

std::vector<CaseRecord> PlanExecution::rows() const {
  std::vector<CaseRecord> rows;
  for (const Case& c : run_.cases) rows.push_back(describe(c, store_.facts_of(c)));
  return rows;
}

ExitCode PlanExecution::start() {
  const bool has_journal = file_ && file_->is_replaceable();
  const auto path = has_journal ? journal_path(file_->path()) : std::filesystem::path();
  Journal journal = Journal::create(path, header(), run_.cases, rows());
  return carry_out(journal);
}

ExitCode PlanExecution::resume() {
  std::string warning;
  Journal journal = Journal::resume(journal_path(run_.options.resume), warning);
  if (!warning.empty()) say(warning);
  const auto found = differences(journal.state(), header(), run_.cases);
  if (!found.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--resume {}: this run is another one ({}); start it without --resume",
                            run_.options.resume, join(found, "; ")));
  }
  return carry_out(journal);
}

ExitCode PlanExecution::carry_out(Journal& journal) {
  sweep(journal);
  if (!is_interrupted_) journal.run_ended();
  return conclude(journal);
}

void PlanExecution::sweep(Journal& journal) {
  InterruptWatch interrupts(/*ends_at_second=*/!run_.is_isolated());
  ProgressLine progress(clock_, is_watched(run_.options));
  const std::vector<Case> cases = all_cases(journal.state());
  const auto positions = unfinished(journal.state(), execution_order(cases, run_.options.order_seed));
  const SweepServices services{*executor_, journal, progress, interrupts, clock_, [&] { keep(journal); }};
  const auto tell = [&](const std::string& sentence) {
    if (!run_.options.is_quiet) say(sentence);
  };
  is_interrupted_ = run_.budget ? !run_within_budget(cases, positions, *run_.budget, services, tell)
                                : !run_sweep(cases, positions, services);
}

/// Those of the plan, and those that an earlier part of this run added to it.
std::vector<Case> PlanExecution::all_cases(const JournalState& state) const {
  std::vector<Case> cases = run_.cases;
  for (std::size_t i = cases.size(); i < state.cases.size(); ++i) {
    cases.push_back(plan_case_from_json(state.cases[i].plan, run_.models, datasets()));
  }
  return cases;
}

/// The journal stays as it is: a run that is continued needs the real names.
RunRecord PlanExecution::document(const Journal& journal) const {
  RunRecord run = document_of(journal.state());
  if (run_.options.is_shared) redact(run, own_identity());
  return run;
}

void PlanExecution::keep(const Journal& journal) const {
  if (file_) file_->keep(run_document(document(journal)));
}

ExitCode PlanExecution::conclude(const Journal& journal) {
  const RunRecord run = document(journal);
  if (file_) {
    file_->conclude(run_document(run), run_table(run));
  } else {
    print_out(run_document(run));
  }
  if (!journal.failure().empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("journal {}: the last cases are not in it ({}); free some space",
                            journal_path(file_->path()).string(), journal.failure()));
  }
  if (file_ && !run_.options.is_quiet) say("result in " + file_->path().string());
  if (is_interrupted_) return ExitCode::kInterrupted;
  return is_all_ok(run) ? ExitCode::kOk : ExitCode::kCaseFailed;
}

}  // namespace gpubench
