#include "app/tables/net_run.h"

#include <algorithm>

#include "app/run/launched_group.h"
#include "app/run/peer_run.h"
#include "app/tables/table_run.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/ranks/group_executor.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/ops_page.h"

namespace gpubench {
namespace {

OpEffort make_effort(const NetOptions& options) {
  OpEffort effort;
  effort.sample = duration_or(options.sample, effort.sample, "--sample");
  effort.limit = duration_or(options.time, effort.limit, "--time");
  return effort;
}

NetPlanOptions to_plan(const NetOptions& options) {
  NetPlanOptions plan = options.plan;
  plan.effort = make_effort(options);
  if (plan.ranks.empty()) plan.ranks = {most_ranks_for(options.devices)};
  require(options.devices.size() == 1, "--device: give one; its ranks measure together");
  return plan;
}

/// All that is decided before the first row.
struct PlannedNet : PlannedTable {
  PlannedNet(const NetOptions& given, const std::vector<std::string>& given_arguments)
      : PlannedTable(given, given_arguments), options(given), plan(to_plan(given)) {
    plan_net(plan, "any");  // What is wrong with it is said before others are waited for.
    launched = launch_group(std::ranges::max(plan.ranks), given);
    ProcessGroup& group = *launched.group;
    use_threads(group.threads_per_rank());
    ask_engine(given.devices, false);
    work = plan_net(plan, facts.devices.front());
    const Environment own = rank_environment(facts, {}, threads(), group.launch());
    ranks = group.prepare({device_names(), threads(), given.allocator, "", false, {}}, own);
  }

  const NetOptions& options;
  NetPlanOptions plan;
  LaunchedGroup launched;
  std::vector<RankRecord> ranks{};
};

class NetRun : public TableRun {
 public:
  NetRun(const PlannedNet& run, InterruptWatch& interrupts)
      : TableRun(run, "net-", interrupts, {}), run_(run) {
    const ExecutionOptions options{run.threads(), run.timeout, std::nullopt, false};
    executor_ = make_group_op_executor(make_isolated_op_executor(run.workers, options), *run.launched.group,
                                       run.timeout);
  }

 protected:
  OpsSettings settings() const override {
    OpsSettings settings;
    settings.kind = "net";
    settings.sample = run_.plan.effort.sample;
    settings.limit = run_.plan.effort.limit;
    return settings;
  }

  JournalHeader<OpWork> header() const override {
    JournalHeader<OpWork> header = TableRun::header();
    header.environment.ranks = run_.ranks;
    return header;
  }

  std::string shown(const OpsRecord& record) const override {
    return op_sections_text(record, output().file->path().filename().string());
  }

 private:
  const PlannedNet& run_;
};

}  // namespace

ExitCode run_net(const NetOptions& options, const std::vector<std::string>& arguments) {
  NetOptions own = options;
  own.typed = arguments;
  if (is_peer_rank()) {
    TrainOptions peer;
    static_cast<RunOptions&>(peer) = own;
    return run_peer_rank(peer, arguments);
  }
  InterruptWatch interrupts(/*ends_at_second=*/false, "row");
  const PlannedNet planned(own, arguments);
  NetRun run(planned, interrupts);
  return own.resume.empty() ? run.start() : run.resume(own.resume);
}

}  // namespace gpubench
