#include "app/tables/net_run.h"

#include <algorithm>

#include "app/crew/crew_run.h"
#include "app/run/interrupt_watch.h"
#include "app/run/journaled_run.h"
#include "app/run/member_run.h"
#include "app/run/planned_run.h"
#include "app/tables/ops_progress.h"
#include "engine/execution/work_json.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/ranks/group_executor.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/ops_page.h"

namespace gpubench {
namespace {

OpEffort effort_of(const NetOptions& options) {
  OpEffort effort;
  effort.sample = duration_or(options.sample, effort.sample, "--sample");
  effort.limit = duration_or(options.time, effort.limit, "--time");
  return effort;
}

NetPlanOptions plan_of(const NetOptions& options) {
  NetPlanOptions plan = options.plan;
  plan.effort = effort_of(options);
  if (plan.ranks.empty()) plan.ranks = {most_ranks_for(options.devices)};
  require(options.devices.size() == 1, "--device: give one; its ranks measure together");
  return plan;
}

/// All that is decided before the first row.
struct PlannedNet : PlannedWork {
  PlannedNet(const NetOptions& given, const std::vector<std::string>& given_arguments)
      : PlannedWork(given, given_arguments), options(given), plan(plan_of(given)) {
    plan_net(plan, "any");  // What is wrong with it is said before others are waited for.
    crew = call_crew(std::ranges::max(plan.ranks), given);
    use_threads(crew.crew->threads_per_rank());
    ask_engine(given.devices, false);
    work = plan_net(plan, facts.devices.front());
    const ReadyMessage own = own_readiness(facts, {}, threads(), crew.crew->launch());
    ranks = crew.crew->prepare({device_names(), threads(), given.allocator, "", false, {}}, own);
  }

  const NetOptions& options;
  NetPlanOptions plan;
  CrewOnDuty crew;
  std::vector<OpWork> work{};
  std::vector<RankRecord> ranks{};
};

OpsSettings settings_of(const PlannedNet& run) {
  OpsSettings settings;
  settings.kind = "net";
  settings.sample = run.plan.effort.sample;
  settings.limit = run.plan.effort.limit;
  return settings;
}

class NetRun : public JournaledRun<OpWork> {
 public:
  NetRun(const PlannedNet& run, InterruptWatch& interrupts)
      : JournaledRun(run.output("net-")), run_(run), interrupts_(interrupts) {
    const ExecutionOptions options{run.threads(), run.timeout, std::nullopt, false};
    executor_ =
        make_group_op_executor(make_isolated_op_executor(run.workers, options), *run.crew.crew, run.timeout);
  }

 protected:
  JournalHeader<OpWork> header() const override {
    JournalHeader<OpWork> header{tool_record(run_.arguments, run_.started_at), settings_of(run_),
                                 run_.facts.environment};
    header.environment.ranks = run_.ranks;
    return header;
  }
  const std::vector<OpWork>& work() const override { return run_.work; }
  OpRecord planned_row(const OpWork& work) const override { return describe(work); }
  OpWork added_work(const Json& json) const override { return op_work_from_json(json); }

  bool sweep(const std::vector<OpWork>& all, const std::vector<std::size_t>& positions,
             Journal<OpWork>& journal) override {
    OpsProgress progress(output().is_quiet);
    const SweepServices<OpWork> services{
        *executor_, journal, progress, interrupts_, clock_, [&] { keep(journal); }, {}};
    return run_sweep(all, positions, services);
  }

  std::string shown(const OpsRecord& record) const override {
    return op_sections_text(record, output().file->path().filename().string());
  }

 private:
  const PlannedNet& run_;
  InterruptWatch& interrupts_;
  std::unique_ptr<OpExecutor> executor_;
};

}  // namespace

ExitCode run_net(const NetOptions& options, const std::vector<std::string>& arguments) {
  NetOptions own = options;
  own.typed = arguments;
  if (is_member()) {
    TrainOptions member;
    static_cast<RunOptions&>(member) = own;
    return serve_as_member(member, arguments);
  }
  InterruptWatch interrupts(/*ends_at_second=*/false, "row");
  const PlannedNet planned(own, arguments);
  NetRun run(planned, interrupts);
  return own.resume.empty() ? run.start() : run.resume(own.resume);
}

}  // namespace gpubench
