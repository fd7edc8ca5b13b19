#include "engine/ranks/crew.h"

#include <future>

#include "engine/ranks/group_executor.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/error.h"
#include "support/catch.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

HelloMessage hello(std::int64_t rank, std::int64_t ranks) {
  return {"job", rank, ranks, "0.2.0 abc", {"--model", "mlp"}, "host", "0-3", 4};
}

CrewOptions options(std::int64_t ranks) {
  Launch launch;
  launch.ranks = ranks;
  launch.job = "job";
  launch.host = "127.0.0.1";
  return {launch, hello(0, ranks), Deadline(Seconds{5})};
}

/// Crew and the other ends of its channels, each of which has said hello.
struct Formed {
  explicit Formed(std::vector<HelloMessage> hellos) {
    std::vector<FileDescriptor> sockets;
    for (const HelloMessage& each : hellos) {
      SocketPair pair = connected_pair();
      others.emplace_back(std::move(pair.other));
      others.back().send(to_line(FromRank(each)));
      sockets.push_back(std::move(pair.own));
    }
    crew.emplace(options(static_cast<std::int64_t>(hellos.size()) + 1), std::move(sockets));
  }
  std::vector<Channel> others;
  std::optional<Crew> crew;
};

std::string refusal(const HelloMessage& hello) {
  try {
    Formed{{hello}};
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

ReadyMessage ready(std::int64_t rank) {
  ReadyMessage message;
  message.rank.rank = rank;
  message.libtorch_version = "2.11.0";
  message.data = {{"mnist", "abc"}};
  return message;
}

/// What preparing says where rank 1 answers with this.
std::string objection(const FromRank& answer) {
  Formed formed({hello(1, 2)});
  formed.others[0].send(to_line(answer));
  try {
    formed.crew->prepare({}, ready(0));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("ranks that share cores share the threads, and the smallest share is everybody's") {
  Formed same({hello(1, 2)});
  CHECK(same.crew->threads_per_rank() == 2);

  HelloMessage bound = hello(1, 2);
  bound.cores = "4-7";
  Formed apart({bound});
  CHECK(apart.crew->threads_per_rank() == 4);

  HelloMessage elsewhere = hello(1, 3);
  elsewhere.host = "other";
  HelloMessage narrow = elsewhere;
  narrow.rank = 2;
  narrow.cores = "0";
  narrow.available_cores = 1;
  Formed mixed({elsewhere, narrow});
  CHECK(mixed.crew->threads_per_rank() == 1);
}

TEST_CASE("a rank of another version or with another command line is refused by name") {
  HelloMessage version = hello(1, 2);
  version.version = "0.1.0";
  CHECK_THAT(refusal(version), contains_text("rank 1 (host) is gpubench 0.1.0, rank 0 is 0.2.0 abc"));
  HelloMessage model = hello(1, 2);
  model.arguments = {"--model", "cnn"};
  CHECK_THAT(refusal(model), contains_text("rank 1 (host) was given --model cnn instead of mlp"));
  CHECK(refusal(hello(1, 2)).empty());
}

TEST_CASE("options that are a machine's own may differ") {
  CHECK(difference_of({"--model", "mlp", "--data-dir", "/a"}, {"--data-dir=/b", "--model", "mlp"}).empty());
  CHECK(difference_of({"suite", "quick", "-q"}, {"suite", "quick", "-o", "x"}).empty());
  CHECK_THAT(difference_of({"suite", "quick"}, {"suite", "smoke"}), contains_text("suite quick instead of"));
  CHECK_THAT(difference_of({"--limit", "5"}, {}), contains_text("--limit 5 instead of none"));
  CHECK_THAT(difference_of({}, {"--limit", "5"}), contains_text("no --limit 5"));
}

TEST_CASE("another LibTorch, other data, a rank that cannot or is gone: refused by name before any case") {
  CHECK(objection(ready(1)).empty());
  ReadyMessage torch = ready(1);
  torch.libtorch_version = "2.9.0";
  CHECK_THAT(objection(torch), contains_text("rank 1 (host) has LibTorch 2.9.0, rank 0 has 2.11.0"));
  ReadyMessage data = ready(1);
  data.data = {{"mnist", "def"}};
  CHECK_THAT(objection(data), contains_text("rank 1 (host) has other data for mnist"));
  CHECK_THAT(objection(FailedMessage{"no GPU"}), contains_text("rank 1 (host): no GPU"));
  CHECK_THAT(objection(DoneMessage{}), contains_text("does not say what is due"));
}

TEST_CASE("who is gone is told, and the end of a crew tells the others why") {
  Formed formed({hello(1, 3), hello(2, 3)});
  CHECK(formed.crew->gone(3).empty());
  formed.crew->end("no space");
  for (Channel& other : formed.others) {
    const auto line = other.next(Deadline(Seconds{5}));
    REQUIRE(line);
    CHECK(std::get<EndMessage>(to_rank(*line)).why == "no space");
  }
}

TEST_CASE("lines cross a channel whole, in order, however long they are, and its end is noticed") {
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

TEST_CASE("a port that is taken is refused by its number, and one that is free is found") {
  int port = 0;
  const FileDescriptor listener = listen_at(port);
  CHECK(port > 0);
  int same = port;
  try {
    listen_at(same);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), contains_text("port " + std::to_string(port) + ": "));
  }
  const FileDescriptor socket = connect_to("127.0.0.1", port, Deadline(Seconds{5}));
  CHECK(socket.is_open());
  CHECK(accept_from(listener, Deadline(Seconds{5})).is_open());
  CHECK_FALSE(accept_from(listener, Deadline(Seconds{0})).is_open());
}

TEST_CASE("ranks of a machine are counted, among those that train") {
  HelloMessage elsewhere = hello(2, 4);
  elsewhere.host = "node-b";
  const Formed formed({hello(1, 4), elsewhere, hello(3, 4)});
  CHECK(formed.crew->ranks_on("host", 4) == 3);
  CHECK(formed.crew->ranks_on("host", 2) == 2);
  CHECK(formed.crew->ranks_on("node-b", 4) == 1);
  CHECK(formed.crew->ranks_on("node-b", 2) == 0);
}

TEST_CASE("energy of GPUs that no rank had is left out") {
  const auto left = [](const std::string& first, std::int64_t ranks) {
    std::vector<EnergyRecord> all(5);
    const char* const devices[] = {"cuda:0", "cuda:1", "cuda:2", "cpu", ""};
    for (std::size_t i = 0; i < all.size(); ++i) all[i].device = devices[i];
    leave_out_idle_gpus(all, first, ranks);
    std::string names;
    for (const EnergyRecord& one : all) names += one.device + " ";
    return names;
  };
  CHECK(left("cuda:0", 1) == "cuda:0 cpu  ");
  CHECK(left("cuda:0", 2) == "cuda:0 cuda:1 cpu  ");
  CHECK(left("cuda:1", 2) == "cuda:0 cuda:1 cuda:2 cpu  ");
  CHECK(left("cpu", 2) == "cuda:0 cuda:1 cuda:2 cpu  ");
}

TEST_CASE("whom lost words are about is told by an address that one rank alone has") {
  Formed formed({hello(1, 4), hello(2, 4), hello(3, 4)});
  const char* const addresses[] = {"10.0.0.2", "10.0.0.3", "10.0.0.3"};
  for (int i = 0; i < 3; ++i) {
    ReadyMessage message = ready(i + 1);
    message.rank.address = addresses[i];
    formed.others[static_cast<std::size_t>(i)].send(to_line(FromRank(message)));
  }
  formed.crew->prepare({}, ready(0));
  CHECK(formed.crew->owner_of_address_in("Read error [10.0.0.2]:4711: Connection timed out") ==
        "; [10.0.0.2] is rank 1 (host)");
  CHECK(formed.crew->owner_of_address_in("Read error [10.0.0.3]:4711: Connection timed out").empty());
  CHECK(formed.crew->owner_of_address_in("Read error [10.0.0.22]:4711").empty());
  CHECK(formed.crew->owner_of_address_in("").empty());
}
