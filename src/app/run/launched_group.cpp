#include "app/run/launched_group.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "app/files/result_file.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "device/host/network.h"
#include "engine/isolation/child_process.h"
#include "gpubench/core/collect.h"

namespace gpubench {

void wait_without_spinning() { setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0); }

HelloMessage make_hello(const Launch& launch) {
  const ToolRecord tool = tool_record({}, "");
  const std::string commit = tool.git_commit.has_value() ? " " + tool.git_commit.value() : "";
  return {launch.job,  launch.rank,    launch.ranks,           tool.version + commit,
          host_name(), usable_cores(), core_limits().available};
}

OwnRanks::OwnRanks(const std::vector<std::string>& arguments, const Launch& launch) {
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
    std::vector<std::string> command{executable_path()};
    append(command, arguments);
    const ProcessFactory source = executed_workers(std::move(command));
    processes_.push_back(source({{pair.other.get(), pair.other.get()}, {STDERR_FILENO, STDOUT_FILENO}}, {}));
    for (const auto& [name, value] : variables) unsetenv(name);
    sockets_.push_back(std::move(pair.own));
  }
}

OwnRanks::~OwnRanks() {
  constexpr Seconds kEndTimeout{30};
  const Deadline deadline(kEndTimeout);
  for (const pid_t process : processes_) {
    while (waitpid(process, nullptr, WNOHANG) == 0) {
      if (deadline.is_over()) ::kill(process, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

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

LaunchedGroup launch_group(std::int64_t most, const RunOptions& options) {
  const auto launched = read_launch();
  if (!launched && most == 1) return {};
  require(!launched || most <= launched->ranks,
          "--world-size {}: {} has started {}; start more, or ask for fewer", most,
          launched ? launched->launcher : "", launched ? launched->ranks : 1);
  const std::string job = fmt::format("{} {}", getpid(), utc_timestamp());
  const Launch launch = launched ? *launched : Launch{"gpubench", 0, most, 0, most, "127.0.0.1", 0, job, -1};
  wait_without_spinning();
  if (launched && launched->has_launcher()) end_with_parent(SIGTERM);
  LaunchedGroup result;
  if (!launched) result.own = std::make_unique<OwnRanks>(options.typed, launch);
  const ProcessGroupOptions group{launch, make_hello(launch), Deadline(join_timeout(options))};
  result.group = std::make_unique<ProcessGroup>(
      group, result.own ? result.own->sockets() : std::vector<FileDescriptor>());
  return result;
}

Environment rank_environment(const EngineFacts& facts, const std::vector<DatasetRecord>& data, int threads,
                             const Launch& launch) {
  Environment environment = facts.environment;
  environment.datasets = data;
  RankRecord rank;
  rank.rank = launch.rank;
  rank.host = host_name();
  rank.os = environment.os;
  rank.kernel = environment.kernel;
  rank.cpu = environment.cpu;
  if (!environment.devices.empty()) {
    const DeviceRecord& device = environment.devices.front();
    rank.device = device.name;
    rank.device_model = device.model;
    rank.driver = device.driver;
    rank.device_uuid = device.uuid;
    rank.device_pci_address = device.pci_address;
  }
  rank.libtorch_build = environment.libtorch_build;
  rank.threads = threads;
  rank.address = address_towards(launch.host, std::max(1, launch.port));
  rank.link = link_text(find_interface(rank.address));
  rank.device_link = rank.device.starts_with("cuda") ? gpu_link(rank.device, environment)
                                                     : missing("links are read between NVIDIA's GPUs alone");
  rank.visible_devices = environment.visible_devices;
  environment.ranks = {rank};
  return environment;
}

std::vector<Warning> unlike_ranks(const std::vector<RankRecord>& ranks) {
  std::vector<Warning> warnings;
  for (const RankRecord& rank : ranks) {
    const RankRecord& first = ranks.front();
    const std::string name = rank_name(rank.rank, rank.host);
    const auto compare = [&](const std::string& own, const std::string& of_first) {
      if (own == of_first) return;
      warnings.push_back({"unlike-ranks", std::nullopt,
                          fmt::format("{} has {}, rank 0 has {}: the slowest counts", name, own, of_first)});
    };
    compare(rank.cpu, first.cpu);
    if (rank.device_model != rank.cpu) compare(rank.device_model, first.device_model);
    if (rank.driver.has_value() && first.driver.has_value())
      compare("driver " + rank.driver.value(), "driver " + first.driver.value());
    compare(rank.libtorch_build, first.libtorch_build);
  }
  return warnings;
}

}  // namespace gpubench
