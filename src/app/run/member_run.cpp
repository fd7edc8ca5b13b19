#include "app/run/member_run.h"

#include <signal.h>

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/crew/crew_run.h"
#include "app/run/dataset_store.h"
#include "app/run/planned_run.h"
#include "app/run/power_watch.h"
#include "device/host/host_process.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/ranks/member_service.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

constexpr Seconds kLongestPlanning{600};  // Of rank 0: LibTorch off a slow disk, a trial of a device's peak.

/// What a device of rank 0 is called for a rank of the same machine; with one GPU that a launcher lets each
/// rank see, it is the first for all.
std::string local_device(const std::string& name, std::int64_t local_rank) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos || local_rank == 0) return name;
  return fmt::format("{}:{}", name.substr(0, colon), std::stoll(name.substr(colon + 1)) + local_rank);
}

/// As rank 0 trains: a command line that only names a file to resume does not say it.
TrainOptions ordered(TrainOptions options, const PlanMessage& plan) {
  options.allocator = plan.allocator;
  options.memory_limit = plan.memory_limit;
  return options;
}

/// All that a rank other than 0 works with.
class MemberRun : public PlannedWork {
 public:
  MemberRun(const TrainOptions& options, const std::vector<std::string>& typed, const Launch& launch,
            const PlanMessage& plan)
      : PlannedWork(options, typed), launch_(launch), plan_(plan), models_("model", {}) {
    use_threads(plan.threads);
    find_devices();
    models_ = Catalog<ModelEntry>("model", facts.models);
    cases_ = mapped(plan.cases, [this](const Json& json) { return case_in(json); });
    store_ = std::make_unique<DatasetStore>(cases_, options.data, /*is_quiet=*/true, &shared_);
    power_ = std::make_unique<PowerWatch>(metered(options), facts, clock_);
    ExecutionOptions execution{plan.threads, std::nullopt, std::nullopt, false};
    if (!options.memory_limit.empty())
      execution.memory_limit = parse_byte_size(options.memory_limit, "--memory-limit");
    executor_ = power_->watch(make_isolated_executor(workers, shared_, execution));
    collectives_ = make_isolated_op_executor(workers, execution);
  }

  Case case_in(const Json& json) const {
    Case c = plan_case_from_json(json, models_, datasets());
    c.device = device_for(c.device);
    c.trace.clear();
    return c;
  }

  ReadyMessage readiness() const { return own_readiness(facts, store_->records(), plan_.threads, launch_); }

  MemberWork work() {
    return {executor_.get(), [this](const Json& json) { return case_in(json); }, collectives_.get(),
            [this](const Json& json) {
              OpWork row = op_work_from_json(json);
              row.device = device_for(row.device);
              return row;
            }};
  }

 private:
  TrainOptions metered(TrainOptions options) const {
    options.energy.window.clear();
    options.energy.raw_log.clear();
    const bool is_first = !launch_.is_on_one_machine() && launch_.local_rank == 0;
    options.energy.meter = member_meter(options.energy.meter, is_first, sees_own_gpu_alone_);
    return options;
  }

  void find_devices() {
    const auto own = mapped(
        plan_.devices, [this](const std::string& name) { return local_device(name, launch_.local_rank); });
    try {
      ask_engine(own, plan_.is_repeated);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kDevice || own == plan_.devices) throw;
      // A launcher may let each rank see a GPU of its own alone.
      ask_engine(plan_.devices, plan_.is_repeated);
      sees_own_gpu_alone_ = true;
    }
  }

  std::string device_for(const std::string& name) const {
    const auto found = std::ranges::find(plan_.devices, name);
    require(found != plan_.devices.end(), "rank 0 has a case on {}, which is none of its devices", name);
    return facts.devices.at(static_cast<std::size_t>(found - plan_.devices.begin()));
  }

  const Launch& launch_;
  const PlanMessage& plan_;
  SteadyClock clock_;
  bool sees_own_gpu_alone_ = false;
  Catalog<ModelEntry> models_;
  std::vector<Case> cases_;
  SharedDatasets shared_;
  std::unique_ptr<DatasetStore> store_;
  std::unique_ptr<PowerWatch> power_;
  std::unique_ptr<CaseExecutor> executor_;
  std::unique_ptr<OpExecutor> collectives_;
};

/// What rank 0 wants; nothing where it says that there is nothing to do.
std::optional<PlanMessage> await_plan(Channel& channel, std::string& why) {
  const auto line = channel.next(Deadline(kLongestPlanning));
  why = "rank 0 is gone";
  if (!line) return std::nullopt;
  const ToRank message = to_rank(*line);
  if (const auto* end = std::get_if<EndMessage>(&message)) return why = end->why, std::nullopt;
  const auto* plan = std::get_if<PlanMessage>(&message);
  if (plan == nullptr) fail_unexpected("rank 0");
  return *plan;
}

/// Rank 0 says why this one ends.
ExitCode ended(const std::string& why) {
  if (why.empty()) return ExitCode::kOk;
  say(why);
  return ExitCode::kUsage;
}

}  // namespace

std::string member_meter(const std::string& asked, bool is_first_of_machine, bool sees_own_gpu_alone) {
  if (is_first_of_machine) return asked;
  const bool reads_gpus = asked == "auto" || asked.find("nvml") != std::string::npos;
  return sees_own_gpu_alone && reads_gpus ? "nvml" : "none";
}

bool is_member() {
  const auto launch = read_launch(own_variables());
  return launch && launch->rank > 0;
}

ExitCode serve_as_member(const TrainOptions& options, const std::vector<std::string>& arguments) {
  const Launch launch = *read_launch(own_variables());
  // Launchers pass them to all ranks, and rank 0 answers for all.
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) signal(each, SIG_IGN);
  if (launch.has_launcher()) end_with_parent(SIGKILL);
  wait_without_spinning();
  Channel channel(launch.socket >= 0 ? FileDescriptor(launch.socket)
                                     : connect_to(launch.host, launch.port, join_deadline(options)));
  channel.send(to_line(FromRank(hello_of(launch, arguments))));
  std::string why;
  const auto plan = await_plan(channel, why);
  if (!plan) return ended(why);
  try {
    MemberRun run(ordered(options, *plan), arguments, launch, *plan);
    channel.send(to_line(FromRank(run.readiness())));
    return ended(serve_rows(channel, run.work()));
  } catch (const Error& error) {
    channel.send(to_line(FromRank(FailedMessage{error.what()})));
    throw;
  }
}

}  // namespace gpubench
