#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/run/launched_group.h"
#include "app/run/planned_run.h"
#include "device/host/host_process.h"
#include "engine/isolation/isolated_executor.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

constexpr Seconds kPlanTimeout{600};  // LibTorch off a slow disk, and a measurement of the device's peak.

constexpr const char* kLostRank0 = "lost connection to rank 0";

/// Returns this rank's device: a launcher that hides all other GPUs from a rank makes its own "cuda:0".
std::string local_device(const std::string& name, std::int64_t local_rank) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos || local_rank == 0) return name;
  return fmt::format("{}:{}", name.substr(0, colon), std::stoll(name.substr(colon + 1)) + local_rank);
}

/// Ends this rank's part of a row if rank 0 says so, or the connection to rank 0 is lost.
class PeerControl : public RowControl {
 public:
  explicit PeerControl(Channel& channel) : channel_(channel) {}

  bool must_abort() override {
    while (const auto line = channel_.next()) {
      const Request request = request_from(*line);
      if (const auto* end = std::get_if<EndMessage>(&request)) end_ = *end;
      is_aborted_ = true;
    }
    return is_aborted_ || !channel_.is_open();
  }
  void add_wake_descriptors(std::vector<int>& to) const override {
    if (channel_.is_open()) to.push_back(channel_.descriptor());
  }
  void connection_lost() override { has_lost_connection_ = true; }

  bool has_lost_connection() const { return has_lost_connection_; }
  const std::optional<EndMessage>& end() const { return end_; }

 private:
  Channel& channel_;
  bool is_aborted_ = false;
  bool has_lost_connection_ = false;
  std::optional<EndMessage> end_;
};

class PeerRun : public PlannedWork {
 public:
  PeerRun(const TrainOptions& options, const std::vector<std::string>& typed, const Launch& launch,
          const PlanMessage& plan, Channel& channel)
      : PlannedWork(options, typed), launch_(launch), plan_(plan), channel_(channel) {
    use_threads(plan.threads);
    find_devices();
    cases_ = mapped(plan.cases, [this](const Json& json) { return std::get<Case>(read_work(json)); });
    store_ = std::make_unique<DatasetStore>(cases_, options.data, /*is_quiet=*/true, shared_);
    power_ = std::make_unique<PowerWatch>(metered(options), facts, clock_);
    ExecutionOptions execution = execution_options(options, plan.threads, std::nullopt);
    execution.reports_steps = false;
    executor_ = make_isolated_executor(workers, shared_, execution);
  }

  Environment environment() const {
    return rank_environment(facts, store_->records(), plan_.threads, launch_);
  }

  /// Runs rows until rank 0 ends. Returns why it ended; empty after success.
  std::string serve() {
    while (const auto line = channel_.next(Deadline())) {
      const Request request = request_from(*line);
      if (const auto* end = std::get_if<EndMessage>(&request)) return end->why;
      PeerControl control(channel_);
      // An abort may come too late.
      if (const auto* const row = std::get_if<RowRequest>(&request)) run(*row, control);
      if (control.end()) return control.end()->why;
    }
    return kLostRank0;
  }

 private:
  void run(const RowRequest& request, PeerControl& control) {
    Work work = read_work(request.work);
    std::visit([&](auto& row) { row.rank_context = request.rank_context; }, work);
    const auto* const c = std::get_if<Case>(&work);
    const Result planned =
        c != nullptr ? Result(describe(*c, store_->make_facts(*c))) : describe(std::get<OpWork>(work));
    Result record = run_observed(work, planned, control, *executor_, {&power_->observer()});
    channel_.send(to_line(Reply(RowReply{std::move(record), control.has_lost_connection()})));
  }

  Work read_work(const Json& json) const {
    Work work = work_from_json(json, model_catalog(), datasets());
    std::visit([&](auto& row) { row.asked.device = device_for(row.asked.device); }, work);
    if (auto* const c = std::get_if<Case>(&work)) c->asked.trace.clear();
    return work;
  }

  TrainOptions metered(TrainOptions options) const {
    options.energy.raw_log.clear();
    // The first rank of a machine reads the meters for all; a rank that sees only its own GPU reads that.
    if (!launch_.is_on_one_machine() && launch_.local_rank == 0) return options;
    std::string& meter = options.energy.meter;
    const bool reads_gpus = meter == "auto" || meter.find("nvml") != std::string::npos;
    meter = sees_own_gpu_alone_ && reads_gpus ? "nvml" : "none";
    return options;
  }

  void find_devices() {
    const auto own = mapped(
        plan_.devices, [this](const std::string& name) { return local_device(name, launch_.local_rank); });
    try {
      ask_engine({own}, plan_.is_repeated);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kDevice || own == plan_.devices) throw;
      // A launcher may let each rank see a GPU of its own alone.
      ask_engine({plan_.devices}, plan_.is_repeated);
      sees_own_gpu_alone_ = true;
    }
  }

  std::string device_for(const std::string& name) const {
    const auto found = std::ranges::find(plan_.devices, name);
    require(found != plan_.devices.end(), "rank 0 has a case on {}, which is not one of its devices", name);
    return facts.devices.at(static_cast<std::size_t>(found - plan_.devices.begin()));
  }

  const Launch& launch_;
  const PlanMessage& plan_;
  Channel& channel_;
  SteadyClock clock_;
  bool sees_own_gpu_alone_ = false;
  std::vector<Case> cases_;
  SharedDatasets shared_;
  std::unique_ptr<DatasetStore> store_;
  std::unique_ptr<PowerWatch> power_;
  std::unique_ptr<Executor> executor_;
};

std::string run_plan(const TrainOptions& options, const std::vector<std::string>& arguments,
                     const Launch& launch, Channel& channel) {
  const auto line = channel.next(Deadline(kPlanTimeout));
  if (!line) return kLostRank0;
  const Request request = request_from(*line);
  if (const auto* end = std::get_if<EndMessage>(&request)) return end->why;
  const auto* plan = std::get_if<PlanMessage>(&request);
  require(plan != nullptr, "rank 0: unexpected message");
  // A command line with --resume does not have rank 0's options, nor another machine its variables.
  TrainOptions own = options;
  setenv("GPUBENCH_ALLOCATOR", plan->allocator.c_str(), /*overwrite=*/1);
  own.memory_limit = plan->memory_limit;
  PeerRun run(own, arguments, launch, *plan, channel);
  channel.send(to_line(Reply(ReadyMessage{run.environment()})));
  return run.serve();
}

}  // namespace

bool is_peer_rank() {
  const auto launch = read_launch();
  return launch && launch->rank > 0;
}

ExitCode run_peer_rank(const TrainOptions& options, const std::vector<std::string>& arguments) {
  const Launch launch = *read_launch();
  // Launchers send these to all ranks; rank 0 decides for all.
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) signal(each, SIG_IGN);
  if (launch.has_launcher()) end_with_parent(SIGKILL);
  wait_without_spinning();
  Channel channel(launch.socket >= 0 ? FileDescriptor(launch.socket)
                                     : connect_to(launch.host, launch.port, Deadline(join_timeout(options))));
  channel.send(to_line(Reply(make_hello(launch))));
  std::string why;
  try {
    why = run_plan(options, arguments, launch, channel);
  } catch (const Error& error) {
    channel.send(to_line(Reply(ErrorReply{error.kind(), error.what()})));
    throw;
  }
  if (why.empty()) return ExitCode::kOk;
  log_info(why);
  return ExitCode::kUsage;
}

}  // namespace gpubench
