#include "app/run/execution.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/files/result_file.h"
#include "app/run/interrupt_watch.h"
#include "app/run/progress_line.h"
#include "engine/execution/work_json.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/ranks/group_executor.h"
#include "engine/sweep/budget.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "pages/run_page.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

std::unique_ptr<CaseExecutor> make_executor(const PlannedRun& run, const SharedDatasets& shared,
                                            const DatasetStore& store, const Clock& clock,
                                            const std::vector<RankRecord>& ranks) {
  if (!run.is_isolated()) return make_local_executor(run.engine(), store.datasets(), clock);
  auto isolated =
      make_isolated_executor(run.workers, shared, execution_options(run.options, run.threads(), run.timeout));
  if (!run.launched.group) return isolated;
  return make_group_executor(std::move(isolated), *run.launched.group, unlike_ranks(ranks), run.timeout);
}

/// Throws a usage Error if a rank would have no sample.
void require_samples(const Case& c, std::int64_t samples) {
  require(samples >= c.ranks, "--world-size {}: {} has {} training samples; use fewer ranks or more samples",
          c.ranks, c.dataset->name, samples);
}

/// Prepares the other ranks. Returns the records of all ranks; none for a single one.
std::vector<RankRecord> prepare_ranks(const PlannedRun& run, const DatasetStore& store) {
  for (const Case& c : run.cases) require_samples(c, used_sizes(c, store.make_facts(c)).train);
  if (!run.launched.group) return {};
  ProcessGroup& group = *run.launched.group;
  const Environment own = rank_environment(run.facts, store.records(), run.options.threads, group.launch());
  PlanMessage plan{run.device_names(),       run.options.threads, run.options.allocator,
                   run.options.memory_limit, run.is_repeated,     {}};
  for (const Case& c : run.cases) plan.cases.push_back(to_json(c));
  return group.prepare(plan, own);
}

/// A log of power must not be where the result or its journal goes.
void require_apart(const std::string& raw_log, const std::filesystem::path& result) {
  std::error_code ignored;
  const auto log = std::filesystem::weakly_canonical(raw_log, ignored);
  for (const auto& path : {result, journal_path(result)}) {
    require(raw_log.empty() || log != std::filesystem::weakly_canonical(path, ignored),
            "--power-log {}: the run itself writes to it; give another file", raw_log);
  }
}

std::optional<ResultFile> open_run_output(const PlannedRun& run) {
  if (run.options.is_dry_run || run.options.finds_max_batch) return std::nullopt;
  std::optional<ResultFile> file = run.open_output("");
  if (file) require_apart(run.options.energy.raw_log, file->path());
  return file;
}

}  // namespace

PlanExecution::PlanExecution(const PlannedRun& run)
    : JournaledRun(run.options, open_run_output(run)),
      run_(run),
      store_(run.cases, run.options.data, run.options.is_quiet, run.is_isolated() ? &shared_ : nullptr),
      ranks_(prepare_ranks(run, store_)),
      power_(run.options, run.facts, clock_),
      executor_(power_.watch(make_executor(run, shared_, store_, clock_, ranks_))) {}

JournalHeader<Case> PlanExecution::header() const {
  JournalHeader<Case> header;
  header.tool = tool_record(run_.arguments, run_.started_at);
  header.plan = {run_.suite, run_.options.isolate, run_.options.order_seed, missing("no budget was given")};
  if (run_.budget) header.plan.budget = *run_.budget;
  header.environment = run_.facts.environment;
  header.environment.datasets = store_.records();
  header.environment.ranks = ranks_;
  return header;
}

Case PlanExecution::added_work(const Json& json) const {
  return plan_case_from_json(json, run_.models, datasets());
}

bool PlanExecution::sweep(const std::vector<Case>& all, const std::vector<std::size_t>& positions,
                          Journal<Case>& journal) {
  InterruptWatch interrupts(/*ends_at_second=*/!run_.is_isolated());
  ProgressLine progress(clock_, shows_progress(run_.options.is_quiet));
  const SweepServices<Case> services{*executor_,
                                     journal,
                                     progress,
                                     interrupts,
                                     clock_,
                                     [&] { save_snapshot(journal); },
                                     [this](const std::string& device) { return run_.renewed_roof(device); }};
  const auto tell = [&](const std::string& sentence) {
    if (!run_.options.is_quiet) log_info(sentence);
  };
  return run_.budget ? run_within_budget(all, positions, {*run_.budget, run_.begin}, services, tell)
                     : run_sweep(all, positions, services);
}

std::string PlanExecution::shown(const RunRecord& run) const { return run_table(run); }

}  // namespace gpubench
