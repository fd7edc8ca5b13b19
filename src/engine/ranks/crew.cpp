#include "engine/ranks/crew.h"

#include <algorithm>
#include <exception>
#include <map>
#include <span>

#include <fmt/format.h>

#include "device/host/network.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

constexpr Seconds kLongestHello{2};  // Who connects says it at once; others may wait behind.
// Datasets may have to be downloaded.
constexpr Seconds kLongestPreparation{1800};

/// Options whose value may differ from rank to rank; they are about a machine, or about rank 0 alone.
constexpr std::string_view kOwnOptions[] = {"--data-dir", "--base-url", "-o",      "--output", "--power-log",
                                            "--trace",    "--offline",  "--quiet", "-q",       "--meter"};

/// Options with their values, each by its name.
std::map<std::string, std::string> options_in(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> options;
  std::string name = "arguments";
  for (const std::string& word : arguments) {
    if (word.starts_with('-') && word.size() > 1) {
      const std::size_t equals = word.find('=');
      name = word.substr(0, equals);
      options[name] += equals == std::string::npos ? "" : word.substr(equals + 1);
    } else {
      options[name] += (options[name].empty() ? "" : " ") + word;
    }
  }
  for (const std::string_view own : kOwnOptions) options.erase(std::string(own));
  return options;
}

std::string shown(const std::string& name, const std::string& value) {
  return name == "arguments" ? value : value.empty() ? name : name + " " + value;
}

/// The same datasets with the same content.
void require_same_data(const std::string& name, const std::vector<DataDigest>& data,
                       const std::vector<DataDigest>& own) {
  for (const DataDigest& expected : own) {
    const auto found = std::ranges::find(data, expected.name, &DataDigest::name);
    require(found != data.end() && *found == expected,
            "{} has other data for {} than rank 0; give all ranks the same files, or --dataset synthetic",
            name, expected.name);
  }
}

}  // namespace

std::string difference_of(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  const auto first = options_in(one);
  const auto second = options_in(other);
  for (const auto& [name, value] : first) {
    const auto found = second.find(name);
    if (found == second.end()) return fmt::format("{} instead of none", shown(name, value));
    if (found->second != value) return fmt::format("{} instead of {}", shown(name, value), found->second);
  }
  for (const auto& [name, value] : second) {
    if (!first.contains(name)) return fmt::format("no {}", shown(name, value));
  }
  return {};
}

std::string CrewMember::name_of_rank(std::int64_t rank, const std::string& host) {
  return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} ({})", rank, host);
}

Crew::Crew(const CrewOptions& options, std::vector<FileDescriptor> sockets) : options_(options) {
  for (std::int64_t rank = 1; rank < options.launch.ranks; ++rank)
    members_.push_back({rank, "", Channel(FileDescriptor()), {}, {}});
  try {
    gather(std::move(sockets));
  } catch (const Error& error) {
    end(error.what());
    throw;
  }
}

Crew::~Crew() {
  if (!is_ended_) end(std::uncaught_exceptions() > 0 ? "rank 0 ended with an error" : "");
}

/// Those who were started with a socket, or those who connect. One that does not know the job is turned away:
/// it may be of another one, on the same port.
void Crew::gather(std::vector<FileDescriptor> sockets) {
  const auto missing = [this] {
    return std::ranges::find_if(members_, [](const CrewMember& member) { return !member.channel.is_open(); });
  };
  for (FileDescriptor& socket : sockets) take(std::move(socket));
  int port = options_.launch.port;
  FileDescriptor listener;
  if (missing() != members_.end() && sockets.empty()) listener = listen_at(port);
  while (missing() != members_.end()) {
    FileDescriptor socket = listener.is_open() ? accept_from(listener, options_.deadline) : FileDescriptor();
    if (socket.is_open()) {
      take(std::move(socket));
    } else {
      throw Error(ErrorKind::kUsage,
                  "rank {} of {} has not come; see what its machine says, and whether it reaches {} port {}",
                  missing()->rank, size(), options_.launch.host, port);
    }
  }
}

void Crew::take(FileDescriptor socket) {
  Channel channel(std::move(socket));
  const auto line = channel.next(options_.deadline.at_most(kLongestHello));
  if (!line) return;
  try {
    const FromRank message = from_rank(*line);
    if (const auto* hello = std::get_if<HelloMessage>(&message)) admit(std::move(channel), *hello);
  } catch (const Error& error) {
    // Whatever else knocks at the port, a browser or a scanner, is no reason to end.
    if (error.kind() != ErrorKind::kData) throw;
  }
}

void Crew::admit(Channel channel, const HelloMessage& hello) {
  const auto refuse = [&](const std::string& why) { channel.send(to_line(ToRank(EndMessage{why}))); };
  const bool is_known = hello.rank > 0 && hello.rank < size() && hello.ranks == size();
  if (hello.job != options_.launch.job || !is_known) {
    return refuse(fmt::format("port {} of {} is another job's; give one of them another MASTER_PORT",
                              options_.launch.port, options_.launch.host));
  }
  CrewMember& member = members_[static_cast<std::size_t>(hello.rank - 1)];
  if (member.channel.is_open())
    return refuse(
        fmt::format("there is a rank {} already; give one of two jobs another MASTER_PORT", hello.rank));
  member.host = hello.host;
  member.hello = hello;
  member.channel = std::move(channel);
  check(hello);
}

void Crew::check(const HelloMessage& hello) const {
  const std::string name = CrewMember::name_of_rank(hello.rank, hello.host);
  require(hello.version == options_.own.version,
          "{} is gpubench {}, rank 0 is {}; start the same on all machines", name, hello.version,
          options_.own.version);
  const std::string difference = difference_of(hello.arguments, options_.own.arguments);
  require(difference.empty(), "{} was given {}; give all ranks the same command line", name, difference);
}

int Crew::threads_per_rank() const {
  int threads = 1 << 20;
  const auto count_for = [&](const HelloMessage& one) {
    double sharers = one.host == options_.own.host && one.cores == options_.own.cores ? 1 : 0;
    for (const CrewMember& member : members_) {
      if (member.hello.host == one.host && member.hello.cores == one.cores) ++sharers;
    }
    return std::max(1, static_cast<int>(one.available_cores / sharers));
  };
  for (const CrewMember& member : members_) threads = std::min(threads, count_for(member.hello));
  return std::min(threads, count_for(options_.own));
}

ReadyMessage Crew::await_ready(CrewMember& member, const Deadline& deadline) const {
  const auto line = member.channel.next(deadline);
  require(line.has_value(), "{} is gone before its first case; see what its machine says", member.name());
  const FromRank message = from_rank(*line);
  if (const auto* failed = std::get_if<FailedMessage>(&message))
    throw Error(ErrorKind::kUsage, "{}: {}", member.name(), failed->message);
  const auto* ready = std::get_if<ReadyMessage>(&message);
  if (ready == nullptr) fail_unexpected(member.name());
  return *ready;
}

std::vector<RankRecord> Crew::prepare(const PlanMessage& plan, const ReadyMessage& own) {
  const Deadline deadline(kLongestPreparation);
  const std::string line = to_line(ToRank(plan));
  for (CrewMember& member : members_) member.channel.send(line);
  std::vector<RankRecord> ranks{own.rank};
  for (CrewMember& member : members_) {
    const ReadyMessage ready = await_ready(member, deadline);
    require(ready.libtorch_version == own.libtorch_version,
            "{} has LibTorch {}, rank 0 has {}; install the same on all machines", member.name(),
            ready.libtorch_version, own.libtorch_version);
    require_same_data(member.name(), ready.data, own.data);
    member.address = ready.rank.address;
    ranks.push_back(ready.rank);
  }
  return ranks;
}

std::span<CrewMember> Crew::members(std::int64_t ranks) {
  return std::span(members_).first(static_cast<std::size_t>(ranks - 1));
}

std::string Crew::address_for(const CrewMember* member, std::int64_t ranks) {
  if (member != nullptr) {
    const std::string own = member->channel.own_address();
    return own.empty() ? options_.launch.host : own;
  }
  std::string found;
  for (const CrewMember& each : members(ranks)) {
    const std::string own = each.channel.own_address();
    const bool is_here = is_loopback(own);
    if (found.empty() || !is_here) found = own;
    if (!own.empty() && !is_here) break;
  }
  return found.empty() ? options_.launch.host : found;
}

std::int64_t Crew::ranks_on(const std::string& host, std::int64_t ranks) const {
  const auto others = std::span(members_).first(static_cast<std::size_t>(ranks - 1));
  return std::ranges::count(others, host, &CrewMember::host) + (host == options_.own.host ? 1 : 0);
}

std::string Crew::gone(std::int64_t ranks) {
  const auto all = members(ranks);
  const auto found =
      std::ranges::find_if(all, [](const CrewMember& member) { return !member.channel.is_open(); });
  return found == all.end() ? "" : found->name();
}

std::string Crew::owner_of_address_in(const std::string& words) const {
  for (const CrewMember& member : members_) {
    const std::string address = "[" + member.address + "]";
    if (std::ranges::count(members_, member.address, &CrewMember::address) == 1 &&
        words.find(address) != std::string::npos)
      return fmt::format("; {} is {}", address, member.name());
  }
  return {};
}

void Crew::end(const std::string& why) noexcept {
  is_ended_ = true;
  try {
    for (CrewMember& member : members_) {
      if (member.channel.is_open()) member.channel.send(to_line(ToRank(EndMessage{why})));
    }
  } catch (const std::exception&) {
    // They notice the end of the connection as well.
  }
}

}  // namespace gpubench
