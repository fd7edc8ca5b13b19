#include "app/tables/ops_run.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/files/inputs.h"
#include "app/run/engine_loader.h"
#include "app/tables/table_run.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/machine/facts.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/ops_page.h"

namespace gpubench {
namespace {

constexpr Seconds kSmallLimit{0.2};

OpEffort effort_of(const OpsOptions& options) {
  OpEffort effort;
  effort.is_second_call = options.protocol == "s4";
  require(!effort.is_second_call || (options.sample.empty() && options.time.empty()),
          "--protocol s4 times the second of two calls; leave --sample and --time out");
  effort.sample = duration_or(options.sample, effort.sample, "--sample");
  effort.limit =
      duration_or(options.time, set_of(options.plan) == "small" ? kSmallLimit : effort.limit, "--time");
  return effort;
}

/// The plan with its effort, checked for what can be told wrong without the engine, but for what plan_ops
/// checks.
OpPlanOptions ops_plan(const OpsOptions& options) {
  const std::vector<std::string> protocols = op_protocol_names();
  require(std::ranges::find(protocols, options.protocol) != protocols.end(), "--protocol: {}",
          unknown_name_message("protocol", options.protocol, protocols));
  require(options.against.empty() || options.output != "-",
          "--against prints a comparison below the table; leave '-o -' out");
  OpPlanOptions plan = options.plan;
  plan.effort = effort_of(options);
  return plan;
}

/// What a document says of it.
OpsSettings ops_settings(const OpsOptions& options, const OpPlanOptions& plan) {
  OpsSettings settings;
  settings.protocol = options.protocol;
  if (plan.is_matrix) settings.kind = "matrix";
  if (!plan.sweep.empty()) settings.kind = "sweep";
  settings.set = set_of(plan);
  settings.isolation = options.isolate;
  settings.seed = plan.seed;
  settings.sample = plan.effort.sample;
  settings.limit = plan.effort.limit;
  return settings;
}

/// None for an empty name. What to compare with is read before anything is measured.
std::vector<NamedOps> load_baseline(const std::string& name) {
  return name.empty() ? std::vector<NamedOps>() : load_ops({name});
}

/// All that is decided before the first row.
struct PlannedOps : PlannedTable {
  PlannedOps(const OpsOptions& given, const std::vector<std::string>& given_arguments)
      : PlannedTable(given, given_arguments),
        options(given),
        plan(ops_plan(given)),
        baseline(load_baseline(given.against)) {
    // Their sizes are checked before a device is asked for anything. The engine alone knows the operations.
    for (const OpWork& row : plan_ops(plan, {"any"}, engine().operations())) {
      engine().check_operation(row.op, row.request.sizes);
    }
    ask_engine(options.devices, plan.repeat > 1);
    const std::string& note = facts.environment.threads_note;
    if (!note.empty() && !given.is_quiet) say("warning: {}", note);
    work = plan_ops(plan, device_names(), engine().operations());
  }

  const OpsOptions& options;
  OpPlanOptions plan;
  std::vector<NamedOps> baseline;
};

std::unique_ptr<OpExecutor> make_executor(const PlannedOps& run, const Clock& clock) {
  if (!run.is_isolated()) return make_local_op_executor(run.engine(), clock);
  return make_isolated_op_executor(run.workers, {run.options.threads, run.timeout, std::nullopt, false});
}

/// A table under way.
class OpsRun : public TableRun {
 public:
  OpsRun(const PlannedOps& run, InterruptWatch& interrupts)
      : TableRun(run, "ops-", interrupts, renewing_roofs(run)), run_(run) {
    executor_ = make_executor(run, clock_);
  }

 protected:
  OpsSettings settings() const override { return ops_settings(run_.options, run_.plan); }

  /// Its page, but for the machine; of a matrix the words alone.
  std::string shown(const OpsRecord& record) const override {
    Page page = ops_page(record, output().file->path().filename().string());
    page.sections = op_sections(record);
    if (run_.plan.is_matrix) page.sections.resize(1);
    return report_formats().require("txt", "--format").render(page);
  }

  /// What a device does not support is what a matrix is asked for.
  bool is_fine(const OpRecord& row) const override {
    return JournaledRun::is_fine(row) || (run_.plan.is_matrix && row.status == RowStatus::kUnsupported);
  }

  void concluded(const OpsRecord& record) override {
    if (run_.baseline.empty()) return;
    std::vector<NamedOps> tables = run_.baseline;
    tables.push_back({output().file->path().filename().string(), record});
    print_out("\n" + report_formats().require("txt", "--format").render(ops_comparison_page(tables)));
  }

 private:
  const PlannedOps& run_;
};

}  // namespace

std::vector<std::string> op_protocol_names() { return {"default", "s4"}; }

ExitCode run_ops(const OpsOptions& options, const std::vector<std::string>& arguments) {
  // Before LibTorch has threads, and before the trial of a roof.
  InterruptWatch interrupts(/*ends_at_second=*/options.isolate == "none", "row");
  const PlannedOps planned(options, arguments);
  OpsRun run(planned, interrupts);
  return options.resume.empty() ? run.start() : run.resume(options.resume);
}

}  // namespace gpubench
