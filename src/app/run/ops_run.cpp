#include "app/run/ops_run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/files/ops_inputs.h"
#include "app/files/own_identity.h"
#include "app/files/result_file.h"
#include "app/run/engine_loader.h"
#include "app/run/interrupt_watch.h"
#include "app/run/ops_table.h"
#include "app/run/planned_run.h"
#include "device/host/host.h"
#include "engine/judge/roof.h"
#include "engine/machine/facts.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/duration.h"
#include "gpubench/report_writer.h"
#include "record/document/ops_file.h"

namespace gpubench {
namespace {

constexpr Seconds kSmallLimit{0.2};

void require(bool is_fine, const std::string& message) {
  if (!is_fine) throw Error(ErrorKind::kUsage, message);
}

Seconds duration_or(const std::string& text, Seconds otherwise, const std::string& option) {
  if (text.empty()) return otherwise;
  const Seconds given = parse_duration(text, option);
  require(given.value > 0, option + " " + text + ": must be above 0");
  return given;
}

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
  require(std::find(protocols.begin(), protocols.end(), options.protocol) != protocols.end(),
          "--protocol: " + unknown_name_message("protocol", options.protocol, protocols));
  require(options.against.empty() || options.output != "-",
          "--against prints a comparison below the table; leave '-o -' out");
  check_threads(options.threads);
  allocator_named(options.allocator);
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
  settings.seed = plan.seed;
  settings.sample = plan.effort.sample;
  settings.limit = plan.effort.limit;
  return settings;
}

/// LibTorch reads the variable when it is loaded. With it an operation that MPS lacks is computed on the CPU
/// and copied back, which nobody would see in the result.
void forbid_fallback(bool is_quiet) {
  constexpr const char* kVariable = "PYTORCH_ENABLE_MPS_FALLBACK";
  const char* const value = std::getenv(kVariable);
  if (value == nullptr) return;
  const bool was_on = std::string_view(value) != "0";
  unsetenv(kVariable);
  if (!was_on || is_quiet) return;
  say(std::string(kVariable) +
      " is ignored: operations that MPS lacks are shown as unsupported instead of being computed on the CPU "
      "in "
      "silence");
}

/// None for an empty name. What to compare with is read before anything is measured.
std::vector<NamedOps> load_baseline(const std::string& name) {
  return name.empty() ? std::vector<NamedOps>() : load_ops({name});
}

/// A table under way.
class OpsRun {
 public:
  OpsRun(const OpsOptions& options, const std::vector<std::string>& arguments);
  ExitCode run();

 private:
  std::vector<std::string> devices() const;
  void measure_on(const std::string& name);
  void show_progress(const PlannedOp& planned, const std::string& device) const;
  void print() const;
  void print_comparison() const;
  ExitCode exit_code() const;

  const OpsOptions& options_;
  const OpPlanOptions plan_;
  const std::vector<NamedOps> baseline_;
  // Before LibTorch has threads, and before the trial of a roof.
  InterruptWatch interrupts_{/*ends_at_second=*/true, "row"};
  const SteadyClock clock_;
  const Engine& engine_;
  const std::vector<PlannedOp> rows_;
  OpsRecord record_;
  std::optional<ResultFile> file_;  // Absent where the document goes to stdout.
  bool is_interrupted_ = false;
};

OpsRun::OpsRun(const OpsOptions& options, const std::vector<std::string>& arguments)
    : options_(options),
      plan_(ops_plan(options)),
      baseline_(load_baseline(options.against)),
      engine_(load_engine(allocator_named(options.allocator))),
      rows_(plan_ops(plan_, engine_.operations())) {
  for (const PlannedOp& planned : rows_) engine_.check_operation(planned.op, planned.request.sizes);
  record_.tool = tool_record(arguments, utc_timestamp());
  record_.settings = ops_settings(options, plan_);
  record_.environment = gather_facts(engine_, clock_, {options.devices, options.threads}).environment;
  if (options.output == "-") return;
  file_.emplace(options.output, "ops-" + result_name(record_.tool.started_at, host_name(), devices()));
}

std::vector<std::string> OpsRun::devices() const {
  std::vector<std::string> names;
  for (const DeviceRecord& device : record_.environment.devices) names.push_back(device.name);
  return names;
}

ExitCode OpsRun::run() {
  for (const std::string& device : devices()) measure_on(device);
  if (!is_interrupted_) record_.tool.finished_at = utc_timestamp();
  print();
  return exit_code();
}

void OpsRun::measure_on(const std::string& name) {
  const auto device = engine_.open_device(name);
  for (const PlannedOp& planned : rows_) {
    is_interrupted_ = is_interrupted_ || interrupts_.count() > 0;
    if (is_interrupted_) return;
    show_progress(planned, name);
    OpRecord row = engine_.run_operation(planned.op, planned.request, *device, clock_);
    note_roof(row, record_.environment);
    record_.rows.push_back(std::move(row));
    if (file_) file_->keep(ops_document(record_));
  }
}

/// The thread that measures paints, so that no other one disturbs it.
void OpsRun::show_progress(const PlannedOp& planned, const std::string& device) const {
  if (options_.is_quiet || isatty(STDERR_FILENO) == 0) return;
  paint(fmt::format("{}[{}/{}] {} {} {} on {}", kClearLine, record_.rows.size() + 1,
                    rows_.size() * record_.environment.devices.size(), planned.op,
                    to_string(planned.request.sizes), to_string(planned.request.type), device));
}

void OpsRun::print() const {
  if (!options_.is_quiet && isatty(STDERR_FILENO) != 0) paint(kClearLine);
  if (!file_) {
    print_out(ops_document(record_));
    return;
  }
  const std::string problems = ops_problems(record_.rows);
  const std::string table = plan_.is_matrix ? ops_matrix(record_.rows) : ops_table(record_.rows);
  file_->conclude(ops_document(record_), table + (problems.empty() ? "" : "\n") + problems);
  flush_output();  // Both may end up in one log.
  if (!options_.is_quiet) say("result in " + file_->path().string());
  if (!baseline_.empty()) print_comparison();
}

void OpsRun::print_comparison() const {
  std::vector<NamedOps> tables = baseline_;
  tables.push_back({file_->path().filename().string(), record_});
  print_out("\n" + report_formats().require("txt", "--format").render(ops_comparison_page(tables)));
}

/// What a device does not support is what a matrix is asked for.
ExitCode OpsRun::exit_code() const {
  if (is_interrupted_) return ExitCode::kInterrupted;
  const bool is_fine = std::all_of(record_.rows.begin(), record_.rows.end(), [&](const OpRecord& row) {
    return row.status == OpStatus::kOk || (plan_.is_matrix && row.status == OpStatus::kUnsupported);
  });
  return is_fine ? ExitCode::kOk : ExitCode::kCaseFailed;
}

}  // namespace

std::vector<std::string> op_protocol_names() { return {"default", "s4"}; }

ExitCode run_ops(const OpsOptions& options, const std::vector<std::string>& arguments) {
  forbid_fallback(options.is_quiet);
  return OpsRun(options, arguments).run();
}

}  // namespace gpubench
