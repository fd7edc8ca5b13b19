#include "engine/ranks/process_group.h"

#include <future>

#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test::process_group_test {

namespace {

HelloMessage hello(std::int64_t rank, std::int64_t ranks) {
  return {"job", rank, ranks, "0.2.0 abc", "host", "0-3", 4};
}

/// A group of ranks that have sent their hello messages, and the other ends of its connections.
struct Formed {
  explicit Formed(const std::vector<HelloMessage>& hellos) {
    std::vector<FileDescriptor> sockets;
    for (const HelloMessage& each : hellos) {
      SocketPair pair = connected_pair();
      others.emplace_back(std::move(pair.other));
      others.back().send(to_line(Reply(each)));
      sockets.push_back(std::move(pair.own));
    }
    const auto ranks = static_cast<std::int64_t>(hellos.size()) + 1;
    Launch launch;
    launch.ranks = ranks;
    launch.job = "job";
    launch.host = "127.0.0.1";
    group.emplace(ProcessGroupOptions{launch, hello(0, ranks), Deadline(Seconds{5})}, std::move(sockets));
  }
  std::vector<Channel> others;
  std::optional<ProcessGroup> group;
};

Environment environment(std::int64_t rank) {
  Environment environment = empty_run().environment;
  environment.libtorch_version = "2.11.0";
  environment.datasets = {{"mnist", true, "", {}}};
  environment.ranks.emplace_back();
  environment.ranks.front().rank = rank;
  return environment;
}

/// Returns the error of prepare() if rank 1 answers with `answer`.
std::string error_for(const Reply& answer) {
  Formed formed({hello(1, 2)});
  formed.others[0].send(to_line(answer));
  try {
    formed.group->prepare({}, environment(0));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("ranks that share cores share the threads, and all ranks use the smallest share") {
  Formed same({hello(1, 2)});
  CHECK(same.group->threads_per_rank() == 2);

  HelloMessage bound = hello(1, 2);
  bound.cores = "4-7";
  Formed apart({bound});
  CHECK(apart.group->threads_per_rank() == 4);

  HelloMessage elsewhere = hello(1, 3);
  elsewhere.host = "other";
  HelloMessage narrow = elsewhere;
  narrow.rank = 2;
  narrow.cores = "0";
  narrow.available_cores = 1;
  Formed mixed({elsewhere, narrow});
  CHECK(mixed.group->threads_per_rank() == 1);
}

TEST_CASE("a rank of another version is refused by name") {
  HelloMessage other = hello(1, 2);
  other.version = "0.1.0";
  CHECK_THROWS_WITH(Formed{{other}},
                    contains_text("rank 1 (host) runs gpubench 0.1.0, rank 0 runs 0.2.0 abc"));
}

TEST_CASE("a rank with another LibTorch, other data or an error is refused before the first case") {
  CHECK(error_for(ReadyMessage{environment(1)}).empty());
  ReadyMessage torch{environment(1)};
  torch.environment.libtorch_version = "2.9.0";
  CHECK_THAT(error_for(torch), contains_text("rank 1 (host) has LibTorch 2.9.0, rank 0 has 2.11.0"));
  ReadyMessage data{environment(1)};
  data.environment.datasets[0].is_synthetic = false;
  CHECK_THAT(error_for(data), contains_text("rank 1 (host) has different data for mnist"));
  CHECK_THAT(error_for(ErrorReply{ErrorKind::kDevice, "no GPU"}), contains_text("rank 1 (host): no GPU"));
  CHECK_THAT(error_for(StepsReply{}), contains_text("rank 1 (host): unexpected message"));
}

TEST_CASE("a channel delivers complete lines in order and detects its end") {
  SocketPair pair = connected_pair();
  Channel one(std::move(pair.own));
  Channel other(std::move(pair.other));
  const std::string long_line(300'000, 'x');
  auto sending = std::async(std::launch::async, [&] {
    one.send("first");
    one.send(long_line);
    one.close();
  });
  CHECK(other.next(Deadline(Seconds{5})) == "first");
  CHECK(other.next(Deadline(Seconds{5})) == long_line);
  CHECK_FALSE(other.next(Deadline(Seconds{5})));
  CHECK_FALSE(other.is_open());
  sending.get();
}

TEST_CASE("energy of GPUs that no rank used is removed") {
  const auto left = [](const std::string& first, std::int64_t ranks) {
    std::vector<EnergyRecord> all(5);
    const char* const devices[] = {"cuda:0", "cuda:1", "cuda:2", "cpu", ""};
    for (std::size_t i = 0; i < all.size(); ++i) all[i].device = devices[i];
    remove_idle_gpus(all, first, ranks);
    std::string names;
    for (const EnergyRecord& one : all) names += one.device + " ";
    return names;
  };
  CHECK(left("cuda:0", 1) == "cuda:0 cpu  ");
  CHECK(left("cuda:0", 2) == "cuda:0 cuda:1 cpu  ");
  CHECK(left("cuda:1", 2) == "cuda:0 cuda:1 cuda:2 cpu  ");
  CHECK(left("cpu", 2) == "cuda:0 cuda:1 cuda:2 cpu  ");
}

}  // namespace gpubench::test::process_group_test
