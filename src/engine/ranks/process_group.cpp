#include "engine/ranks/process_group.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "device/host/host.h"
#include "device/host/network.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr Seconds kHelloTimeout{2};
constexpr Seconds kPrepareTimeout{1800};  // Includes time to download datasets.

void require_equal(const std::string& name, const Environment& peer, const Environment& own) {
  require(peer.libtorch_version == own.libtorch_version,
          "{} has LibTorch {}, rank 0 has {}; install the same version on all machines", name,
          peer.libtorch_version, own.libtorch_version);
  const auto to_content = [](const DatasetRecord& data) {
    std::string content = data.is_synthetic ? "synthetic" : "";
    for (const DataFileRecord& file : data.files) content += file.name + " " + file.sha256 + "\n";
    return content;
  };
  for (const DatasetRecord& expected : own.datasets) {
    const auto found = std::ranges::find(peer.datasets, expected.name, &DatasetRecord::name);
    require(found != peer.datasets.end() && to_content(*found) == to_content(expected),
            "{} has different data for {} than rank 0; copy rank 0's files, or use --dataset synthetic", name,
            expected.name);
  }
}

}  // namespace

std::string rank_name(std::int64_t rank, const std::string& host) {
  return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} ({})", rank, host);
}

ProcessGroup::ProcessGroup(const ProcessGroupOptions& options, std::vector<FileDescriptor> sockets)
    : options_(options) {
  for (std::int64_t rank = 1; rank < options.launch.ranks; ++rank)
    peers_.push_back({{.rank = rank}, Channel(FileDescriptor())});
  try {
    const bool is_own_launch = !sockets.empty();
    for (FileDescriptor& socket : sockets) admit(std::move(socket));
    int port = options_.launch.port;
    const FileDescriptor listener = is_own_launch ? FileDescriptor() : listen_at(port, /*is_local=*/false);
    while (!lost_rank(size()).empty()) {
      FileDescriptor socket = is_own_launch ? FileDescriptor() : accept_from(listener, options_.deadline);
      require(socket.is_open(),
              "{} of {} has not connected; check its output, and its connection to {} port {}",
              lost_rank(size()), size(), options_.launch.host, port);
      admit(std::move(socket));
    }
  } catch (const Error& error) {
    end(error.what());
    throw;
  }
}

ProcessGroup::~ProcessGroup() {
  if (!is_ended_) end(std::uncaught_exceptions() > 0 ? "rank 0 ended with an error" : "");
}

void ProcessGroup::admit(FileDescriptor socket) {
  Channel channel(std::move(socket));
  const auto line = channel.next(options_.deadline.at_most(kHelloTimeout));
  HelloMessage hello;
  try {
    hello = std::get<HelloMessage>(reply_from(line.value_or("")));
  } catch (const std::exception&) {
    return;  // Not a rank: a browser or a port scanner, for example.
  }
  const auto refuse = [&](const std::string& why) { channel.send(to_line(Request(EndMessage{why}))); };
  const bool is_known = hello.rank > 0 && hello.rank < size() && hello.ranks == size();
  if (hello.job != options_.launch.job || !is_known) {
    return refuse(fmt::format("port {} of {} belongs to another job; set another MASTER_PORT for one of them",
                              options_.launch.port, options_.launch.host));
  }
  PeerRank& peer = peers_[static_cast<std::size_t>(hello.rank - 1)];
  if (peer.channel.is_open()) {
    return refuse(fmt::format(
        "rank {} is already connected; if two jobs use this port, set another MASTER_PORT for one",
        hello.rank));
  }
  peer = {hello, std::move(channel)};
  require(hello.version == options_.own.version,
          "{} runs gpubench {}, rank 0 runs {}; use the same version on all machines", peer.name(),
          hello.version, options_.own.version);
}

int ProcessGroup::threads_per_rank() const {
  std::vector<HelloMessage> all{options_.own};
  for (const PeerRank& peer : peers_) all.push_back(peer.hello);
  double threads = all.front().available_cores;
  for (const HelloMessage& rank : all) {
    const auto sharers = std::ranges::count_if(
        all, [&](const HelloMessage& other) { return other.host == rank.host && other.cores == rank.cores; });
    threads = std::min(threads, rank.available_cores / static_cast<double>(sharers));
  }
  return std::max(1, static_cast<int>(threads));
}

std::vector<RankRecord> ProcessGroup::prepare(const PlanMessage& plan, const Environment& own) {
  const Deadline deadline(kPrepareTimeout);
  const std::string line = to_line(Request(plan));
  for (PeerRank& peer : peers_) peer.channel.send(line);
  std::vector<RankRecord> ranks = own.ranks;
  for (PeerRank& peer : peers_) {
    const auto answer = peer.channel.next(deadline);
    require(answer.has_value(), "{}: lost connection before the first case; check the output of that rank",
            peer.name());
    const Reply reply = reply_from(*answer);
    if (const auto* error = std::get_if<ErrorReply>(&reply))
      throw Error(ErrorKind::kUsage, "{}: {}", peer.name(), error->message);
    const auto* ready = std::get_if<ReadyMessage>(&reply);
    require(ready != nullptr && !ready->environment.ranks.empty(), "{}: unexpected message", peer.name());
    require_equal(peer.name(), ready->environment, own);
    ranks.push_back(ready->environment.ranks.front());
  }
  return ranks;
}

RankContext ProcessGroup::next_context(std::int64_t ranks) {
  int port = 0;
  listener_ = listen_at(port, /*is_local=*/launch().launcher == "gpubench");
  std::string host = launch().host;
  // Debian maps a host's own name to a loopback address, which other machines cannot use.
  for (const PeerRank& peer : peers(ranks)) {
    const std::string address = peer.channel.own_address();
    if (address.empty() || is_loopback(address)) continue;
    host = address;
    break;
  }
  return {0, ranks, host, port, listener_.get(), fmt::format("{} {}", launch().job, ++contexts_)};
}

std::int64_t ProcessGroup::ranks_on(const std::string& host, std::int64_t ranks) const {
  const auto others = std::span(peers_).first(static_cast<std::size_t>(ranks - 1));
  return std::ranges::count(others, host, [](const PeerRank& peer) { return peer.hello.host; }) +
         (host == options_.own.host ? 1 : 0);
}

std::string ProcessGroup::lost_rank(std::int64_t ranks) {
  const auto all = peers(ranks);
  const auto found = std::ranges::find_if(all, [](const PeerRank& peer) { return !peer.channel.is_open(); });
  return found == all.end() ? "" : found->name();
}

void ProcessGroup::end(const std::string& why) noexcept {
  is_ended_ = true;
  try {
    for (PeerRank& peer : peers_) {
      if (peer.channel.is_open()) peer.channel.send(to_line(Request(EndMessage{why})));
    }
  } catch (const std::exception&) {
    // The ranks also end when the connection closes.
  }
}

Environment rank_environment(Environment environment, int threads, const Launch& launch) {
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
  rank.link = link_text(rank.address);
  rank.device_link = rank.device.starts_with("cuda") ? gpu_link(rank.device, environment)
                                                     : missing("links are read between NVIDIA GPUs only");
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
      warnings.push_back(make_warning(WarningKind::kUnlikeRanks, {},
                                      fmt::format("{} has {}, rank 0 has {}", name, own, of_first)));
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
