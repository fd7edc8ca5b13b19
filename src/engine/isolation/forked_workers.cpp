#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "device/host/host_process.h"
#include "engine/isolation/fork_channel.h"
#include "engine/isolation/process_start.h"
#include "engine/isolation/worker.h"
#include "engine/isolation/worker_source.h"

namespace gpubench {
namespace {

constexpr int kLoadingMilliseconds = 120'000;  // The engine comes off a slow disk the first time.

/// The process that is copied. Its end is asked for by closing the socket.
class ForkServer {
 public:
  explicit ForkServer(std::vector<std::string> command) {
    command.emplace_back("--fork-server");
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0) return;
    socket_.reset(ends[0]);
    fcntl(socket_.get(), F_SETFD, FD_CLOEXEC);
    const FileDescriptor its_end(ends[1]);
    fcntl(its_end.get(), F_SETFD, FD_CLOEXEC);
    // What it has to say about a failure, a worker that is executed says again.
    const FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
    process_ = start_program(
        command,
        {{its_end.get(), STDIN_FILENO}, {nowhere.get(), STDOUT_FILENO}, {nowhere.get(), STDERR_FILENO}}, {});
  }

  ~ForkServer() {
    if (process_ <= 0) return;
    // It holds nothing worth an orderly end.
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  /// 0 where it makes none.
  pid_t copy(const Placements& placements) {
    if (process_ <= 0 || !send_request(socket_.get(), placements)) return 0;
    return receive_process(socket_.get(), kLoadingMilliseconds);
  }

 private:
  FileDescriptor socket_;
  pid_t process_ = -1;
};

class ForkedWorkers : public WorkerSource {
 public:
  explicit ForkedWorkers(const std::vector<std::string>& command)
      : executed_(executed_workers(command)), server_(std::make_unique<ForkServer>(command)) {}

  pid_t start(const WorkerEnds& ends, const std::vector<int>& inherited) override {
    const pid_t copy = server_ ? server_->copy(placements(ends, inherited)) : 0;
    if (copy > 0) return copy;
    server_.reset();
    return executed_->start(ends, inherited);
  }

 private:
  static Placements placements(const WorkerEnds& ends, const std::vector<int>& inherited) {
    Placements all{{ends.requests, STDIN_FILENO},
                   {ends.noise, STDOUT_FILENO},
                   {ends.noise, STDERR_FILENO},
                   {ends.replies, kReplyDescriptor}};
    for (const int descriptor : inherited) all.emplace_back(descriptor, descriptor);
    return all;
  }

  std::unique_ptr<WorkerSource> executed_;
  std::unique_ptr<ForkServer> server_;
};

}  // namespace

std::unique_ptr<WorkerSource> forked_workers(std::vector<std::string> command) {
  // A copy is the child of a process that ends at once, so that this one can wait for it.
  if (!adopt_orphans()) return executed_workers(std::move(command));
  return std::make_unique<ForkedWorkers>(command);
}

}  // namespace gpubench
