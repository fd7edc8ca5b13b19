#include "app/run/run.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

constexpr Seconds kPlanTimeout{600};  // Enough to load LibTorch from a slow disk and measure a device's peak.

constexpr const char* kLostRank0 = "lost connection to rank 0";

/// Lets waiting OpenMP threads of workers sleep: spinning would slow down other ranks.
void wait_without_spinning() { setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0); }

Seconds join_timeout(const RunOptions& options) { return options.timeout.value_or(Seconds{60}); }

HelloMessage make_hello(const Launch& launch) {
  const ToolRecord tool = tool_record({}, "");
  const std::string commit = tool.git_commit.has_value() ? " " + tool.git_commit.value() : "";
  return {launch.job,  launch.rank,    launch.ranks,           tool.version + commit,
          host_name(), usable_cores(), core_limits().available};
}

/// Ranks 1 and up, started by this process with its own command line.
class OwnRanks {
 public:
  OwnRanks(const std::vector<std::string>& arguments, const Launch& launch) {
    std::vector<std::string> command{executable_path()};
    append(command, arguments);
    const ProcessFactory source = executed_workers(std::move(command));
    for (std::int64_t rank = 1; rank < launch.ranks; ++rank) {
      SocketPair pair = connected_pair();
      const std::pair<const char*, std::string> variables[] = {
          {"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(launch.ranks)},
          {"LOCAL_RANK", std::to_string(rank)},
          {"LOCAL_WORLD_SIZE", std::to_string(launch.ranks)},
          {"MASTER_ADDR", launch.host},
          {kSocketVariable, std::to_string(pair.other.get())},
          {kJobVariable, launch.job}};
      for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
      processes_.push_back(
          source({{pair.other.get(), pair.other.get()}, {STDERR_FILENO, STDOUT_FILENO}}, {}));
      for (const auto& [name, value] : variables) unsetenv(name);
      sockets_.push_back(std::move(pair.own));
    }
  }
  /// Waits for the ranks to exit; kills them after 30 s.
  ~OwnRanks() {
    const Deadline deadline(Seconds{30});
    for (const pid_t process : processes_) {
      while (waitpid(process, nullptr, WNOHANG) == 0) {
        if (deadline.is_over()) ::kill(process, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
  }
  OwnRanks(const OwnRanks&) = delete;
  OwnRanks& operator=(const OwnRanks&) = delete;

  /// Returns the connections to the ranks. May be called once.
  std::vector<FileDescriptor> sockets() { return std::move(sockets_); }

 private:
  std::vector<pid_t> processes_;
  std::vector<FileDescriptor> sockets_;
};

/// Returns the device of this rank: "cuda:2" for "cuda:0" and local rank 2.
std::string local_device(const std::string& name, std::int64_t local_rank) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos || local_rank == 0) return name;
  return fmt::format("{}:{}", name.substr(0, colon), std::stoll(name.substr(colon + 1)) + local_rank);
}

/// Aborts a row if rank 0 requests it, or if the connection to rank 0 is lost.
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
  std::vector<int> wake_descriptors() const override {
    return channel_.is_open() ? std::vector{channel_.descriptor()} : std::vector<int>();
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

/// A run on a rank other than 0.
class PeerRun : public PlannedRun {
 public:
  PeerRun(const RunOptions& own, const Launch& launch, const PlanMessage& message, Channel& channel)
      : PlannedRun(own), launch_(launch), message_(message), channel_(channel) {
    is_repeated = message.is_repeated;
    options.threads = message.threads;
    find_devices();
    work = mapped(message.cases, [this](const Json& json) { return read_work(json); });
    resources_ = std::make_unique<RunResources>(*this);
  }

  /// Reports that this rank is ready, and executes rows until rank 0 ends. Returns an error message; empty
  /// after success.
  std::string serve() {
    Environment own = facts.environment;
    own.datasets = resources_->dataset_records();
    channel_.send(to_line(Reply(ReadyMessage{rank_environment(own, options.threads, launch_)})));
    while (const auto line = channel_.next(Deadline())) {
      const Request request = request_from(*line);
      if (const auto* end = std::get_if<EndMessage>(&request)) return end->why;
      PeerControl control(channel_);
      // Ignores an abort that arrives after the row has ended.
      if (const auto* const row = std::get_if<RowRequest>(&request)) run(*row, control);
      if (control.end()) return control.end()->why;
    }
    return kLostRank0;
  }

 private:
  void run(const RowRequest& request, PeerControl& control) {
    Work row = read_work(request.work);
    std::visit([&](auto& one) { one.rank_context = request.rank_context; }, row);
    Result record = run_observed(row, resources_->planned_row(row), control, resources_->executor(),
                                 {&resources_->power_observer()});
    channel_.send(to_line(Reply(RowReply{std::move(record), control.has_lost_connection()})));
  }

  Work read_work(const Json& json) const {
    Work row = work_from_json(json, model_catalog(), datasets());
    std::string& device = std::visit([](auto& one) -> std::string& { return one.asked.device; }, row);
    const auto found = std::ranges::find(message_.devices, device);
    require(found != message_.devices.end(), "rank 0: sent a case on {}, which is not one of its devices",
            device);
    device = facts.devices.at(static_cast<std::size_t>(found - message_.devices.begin()));
    if (auto* const c = std::get_if<Case>(&row)) c->asked.trace.clear();
    return row;
  }

  /// Resolves the devices of this rank, and chooses the power meters that it reads.
  void find_devices() {
    bool sees_own_gpu_alone = false;
    const auto own = mapped(
        message_.devices, [this](const std::string& name) { return local_device(name, launch_.local_rank); });
    try {
      ask_engine({own});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kDevice || own == message_.devices) throw;
      // A launcher may make only one GPU visible to each rank, as cuda:0.
      ask_engine({message_.devices});
      sees_own_gpu_alone = true;
    }
    // The first rank of a machine reads all meters; a rank that sees only its own GPU reads that GPU.
    if (!launch_.is_on_one_machine() && launch_.local_rank == 0) return;
    const bool reads_gpus = options.meter == "auto" || options.meter.find("nvml") != std::string::npos;
    options.meter = sees_own_gpu_alone && reads_gpus ? "nvml" : "none";
  }

  const Launch& launch_;
  const PlanMessage& message_;
  Channel& channel_;
  std::unique_ptr<RunResources> resources_;
};

std::string run_peer(RunOptions options, const Launch& launch, Channel& channel) {
  const auto line = channel.next(Deadline(kPlanTimeout));
  if (!line) return kLostRank0;
  const Request request = request_from(*line);
  if (const auto* end = std::get_if<EndMessage>(&request)) return end->why;
  const auto* plan = std::get_if<PlanMessage>(&request);
  require(plan != nullptr, "rank 0: unexpected message");
  // This rank's command line (with --resume) or environment may lack these settings.
  setenv("GPUBENCH_ALLOCATOR", plan->allocator.c_str(), /*overwrite=*/1);
  options.memory_limit = plan->memory_limit;
  // Only rank 0 reports progress, enforces timeouts and writes files.
  options.is_quiet = true;
  options.timeout.reset();
  options.power_log.clear();
  return PeerRun(options, launch, *plan, channel).serve();
}

}  // namespace

std::int64_t most_ranks_for(const std::vector<std::string>& devices) {
  if (const std::int64_t launched = launched_ranks(); launched > 1) return launched;
  const auto is_gpu = [](const std::string& name) { return name == "auto" || name.starts_with("cuda"); };
  const std::int64_t gpus = std::ranges::any_of(devices, is_gpu) ? visible_nvidia_gpus() : 0;
  if (gpus > 0) return gpus;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(core_limits().available));
}

std::int64_t launched_ranks() {
  const auto launch = read_launch();
  return launch ? launch->ranks : 1;
}

void launch_ranks(PlannedRun& run, std::int64_t most) {
  const auto launched = read_launch();
  if (!launched && most == 1) return;
  require(!launched || most <= launched->ranks,
          "--world-size {}: {} started only {}; start more ranks, or use fewer", most,
          launched ? launched->launcher : "", launched ? launched->ranks : 1);
  const std::string job = fmt::format("{} {}", getpid(), utc_timestamp());
  const Launch launch = launched ? *launched : Launch{"gpubench", 0, most, 0, most, "127.0.0.1", 0, job, -1};
  wait_without_spinning();
  if (launched && launched->has_launcher()) end_with_parent(SIGTERM);
  std::vector<FileDescriptor> sockets;
  if (!launched) {
    const auto own = std::make_shared<OwnRanks>(run.options.arguments, launch);
    sockets = own->sockets();
    run.own_ranks = own;
  }
  const ProcessGroupOptions group{launch, make_hello(launch), Deadline(join_timeout(run.options))};
  run.rank_group = std::make_unique<ProcessGroup>(group, std::move(sockets));
  if (run.options.threads == 0) run.options.threads = run.rank_group->threads_per_rank();
}

std::optional<ExitCode> run_peer_rank(const RunOptions& options) {
  const auto launch = read_launch();
  if (!launch || launch->rank == 0) return std::nullopt;
  // Launchers send these signals to all ranks; rank 0 decides for all.
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) signal(each, SIG_IGN);
  if (launch->has_launcher()) end_with_parent(SIGKILL);
  wait_without_spinning();
  Channel channel(launch->socket >= 0
                      ? FileDescriptor(launch->socket)
                      : connect_to(launch->host, launch->port, Deadline(join_timeout(options))));
  channel.send(to_line(Reply(make_hello(*launch))));
  std::string why;
  try {
    why = run_peer(options, *launch, channel);
  } catch (const Error& error) {
    channel.send(to_line(Reply(ErrorReply{error.kind(), error.what()})));
    throw;
  }
  if (why.empty()) return ExitCode::kOk;
  log_info(why);
  return ExitCode::kUsage;
}

}  // namespace gpubench
