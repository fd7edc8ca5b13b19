#include "engine/isolation/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>

#include "support/catch.h"

namespace gpubench::test::child_process_test {
namespace {

constexpr Seconds kLong{60};

/// A child that runs a shell script.
class Child : public ChildProcess {
 public:
  explicit Child(const std::string& script, const std::vector<int>& inherited = {})
      : ChildProcess(executed_workers({"/bin/sh", "-c", script}), inherited) {}

  /// Returns all replies until the child closes their pipe.
  std::vector<std::string> replies() {
    std::vector<std::string> lines;
    for (bool is_open = true; is_open;) {
      is_open = read(kLong);
      while (auto line = next_reply()) lines.push_back(std::move(*line));
    }
    return lines;
  }
};

/// A pipe with descriptors above those that are reserved in a child.
struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) throw std::runtime_error("cannot create a pipe");
    source.reset(fcntl(ends[0], F_DUPFD_CLOEXEC, 20));
    sink.reset(fcntl(ends[1], F_DUPFD_CLOEXEC, 20));
    close(ends[0]);
    close(ends[1]);
  }

  bool is_readable_within(int milliseconds) const {
    pollfd ready{source.get(), POLLIN, 0};
    return poll(&ready, 1, milliseconds) > 0;
  }

  FileDescriptor source;
  FileDescriptor sink;
};

std::vector<std::string> words(const std::string& script) { return Child(script).replies(); }

}  // namespace

TEST_CASE("a reply line may be as long as the row of 100,000 epochs") {
  const auto replies = words("head -c 60000000 /dev/zero | tr '\\0' x >&3; echo >&3; echo next >&3");
  REQUIRE(replies.size() == 2);
  CHECK(replies[0].size() == 60'000'000);
  CHECK(replies[1] == "next");
}

TEST_CASE("kill() also ends the processes that the child has started") {
  Pipe held;
  Child child("sleep 100 & echo started >&3; wait", {held.sink.get()});
  REQUIRE(child.read(kLong));
  CHECK_FALSE(held.is_readable_within(0));
  child.kill();
  CHECK(child.wait().signal == SIGKILL);
  // The pipe reports its end only when no writer is left.
  held.sink.reset();
  CHECK(held.is_readable_within(10000));
}

TEST_CASE("a child inherits only the named descriptors") {
  const FileDescriptor named(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 20));
  const FileDescriptor other(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 30));
  Child child("for d in " + std::to_string(named.get()) + " " + std::to_string(other.get()) +
                  "; do if [ -e /dev/fd/$d ]; then echo yes >&3; else echo no >&3; fi; done",
              {named.get()});
  CHECK(child.replies() == std::vector<std::string>{"yes", "no"});
}

}  // namespace gpubench::test::child_process_test
