#include "engine/isolation/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "device/host/host_process.h"
#include "support/catch.h"

namespace gpubench::test::process_factory_test {
namespace {

constexpr int kFirstFree = 20;  // Above the descriptors that are reserved in a copy.

struct Ends {
  FileDescriptor ours;
  FileDescriptor theirs;
};

Ends moved_up(const std::array<int, 2>& ends) {
  Ends moved{FileDescriptor(fcntl(ends[0], F_DUPFD_CLOEXEC, kFirstFree)),
             FileDescriptor(fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstFree))};
  close(ends[0]);
  close(ends[1]);
  return moved;
}

Ends sockets() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0)
    throw std::runtime_error("cannot create sockets");
  return moved_up(ends);
}

Ends pipe_ends() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("cannot create a pipe");
  return moved_up(ends);
}

/// Starts a fork server. Each copy replies with the number of engine loads and exits with code 7.
pid_t start_server(Ends& channel) {
  const pid_t server = fork();
  // Each process closes the other's end, so that the end of the connection can be detected.
  (server == 0 ? channel.ours : channel.theirs).reset();
  if (server != 0) return server;
  static int loads = 0;
  if (!serve_forks([] { ++loads; }, channel.theirs.get())) _exit(0);
  const char digit = static_cast<char>('0' + loads);
  _exit(write(kReplyDescriptor, &digit, 1) == 1 ? 7 : 8);
}

int find_exit_code(pid_t process) {
  int status = 0;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

std::string text_from(const FileDescriptor& source) {
  char letter = 0;
  return read(source.get(), &letter, 1) == 1 ? std::string(1, letter) : "";
}

}  // namespace

TEST_CASE("copies of a fork server are children of this process and do not load the engine again") {
  if (!adopt_orphans()) {
    WARN("skipped: this system cannot copy processes safely");
    return;
  }
#ifdef __SANITIZE_THREAD__
  WARN("skipped: the thread sanitizer has its own thread, and processes with threads are not forked");
  return;
#endif
  Ends channel = sockets();
  const pid_t server = start_server(channel);
  const Deadline later(Seconds{60});
  for (int round = 0; round < 3; ++round) {
    Ends replies = pipe_ends();
    REQUIRE(send_request(channel.ours.get(), {{replies.theirs.get(), kReplyDescriptor}}));
    const pid_t copy = receive_process(channel.ours.get(), server, later);
    replies.theirs.reset();
    REQUIRE(copy > 0);
    CHECK(copy != server);
    CHECK(text_from(replies.ours) == "1");
    CHECK(find_exit_code(copy) == 7);
  }
  channel.ours.reset();
  CHECK(find_exit_code(server) == 0);
}

TEST_CASE("a stopped or silent fork server is replaced by an executed worker") {
  const auto workers = [](const std::string& silence) {
    return forked_workers(
        {"/bin/sh", "-c", "[ \"$0\" = --fork-server ] && " + silence + "; echo executed >&3"});
  };
  for (const std::string silence : {"kill -STOP $$", "exec sleep 100"}) {
    INFO(silence);
    ChildProcess child(workers(silence), {}, Deadline(Seconds{2}));
    while (child.read({60})) continue;
    CHECK(child.next_reply() == "executed");
    CHECK(child.wait().exit_code == 0);
  }
}

TEST_CASE("a worker is executed if forking fails") {
  // The script exits at once if it is started with --fork-server.
  const auto workers =
      forked_workers({"/bin/sh", "-c", "[ \"$0\" = --fork-server ] && exit 1; echo executed >&3"});
  for (int round = 0; round < 2; ++round) {
    ChildProcess child(workers, {});
    while (child.read({60})) continue;
    CHECK(child.next_reply() == "executed");
    CHECK(child.wait().exit_code == 0);
  }
}

}  // namespace gpubench::test::process_factory_test
