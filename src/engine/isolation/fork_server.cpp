#include "engine/isolation/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "device/host/host_process.h"
#include "gpubench/core/io/files.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostDescriptors = 16;  // Of one request: three ends and a dataset are usual.

/// The parts of a message, which point at each other.
struct Message {
  explicit Message(std::size_t count) {
    data = {numbers.data(), count * sizeof(int)};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::array<int, kMostDescriptors> numbers{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  iovec data{};
  msghdr header{};
};

std::vector<FileDescriptor> descriptors_of(msghdr& header) {
  std::vector<FileDescriptor> descriptors;
  const cmsghdr* part = CMSG_FIRSTHDR(&header);
  if (part == nullptr || part->cmsg_type != SCM_RIGHTS) return descriptors;
  const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
    descriptors.emplace_back(descriptor);
  }
  return descriptors;
}

ssize_t receive_message(int socket, Message& message) {
  ssize_t size = -1;
  do {
    size = recvmsg(socket, &message.header, 0);
  } while (size < 0 && errno == EINTR);
  return size;
}

/// A copy whose parent is whoever takes orphans in. 0 in the copy; its number, or -1, in this process.
pid_t fork_orphan() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  const FileDescriptor source(ends[0]);
  FileDescriptor sink(ends[1]);
  const pid_t middle = fork();
  if (middle == 0) {
    const pid_t copy = fork();
    if (copy == 0) return 0;
    // Here and in the copy: whichever is first, the group is there before anybody can want to end it.
    setpgid(copy, copy);
    const bool is_told = write(sink.get(), &copy, sizeof(copy)) == sizeof(copy);
    _exit(is_told ? 0 : 1);
  }
  sink.reset();
  if (middle > 0) waitpid(middle, nullptr, 0);
  pid_t copy = -1;
  return read(source.get(), &copy, sizeof(copy)) == sizeof(copy) ? copy : -1;
}

/// Gives each descriptor its number. Two steps: a number may still be in use by another of them.
void place(Arrivals arrivals) {
  int last = STDERR_FILENO;
  for (const auto& [descriptor, number] : arrivals) last = std::max(last, number);
  for (auto& [descriptor, number] : arrivals) {
    descriptor.reset(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, last + 1));
  }
  for (const auto& [descriptor, number] : arrivals) dup2(descriptor.get(), number);
}

/// Other threads would be missing in a copy, with all that they hold.
bool can_be_copied() { return thread_count() == 1; }

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
        {{its_end.get(), STDIN_FILENO}, {nowhere.get(), STDOUT_FILENO}, {nowhere.get(), STDERR_FILENO}});
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

  pid_t start(const Placements& placements) override {
    const pid_t copy = server_ ? server_->copy(placements) : 0;
    if (copy > 0) return copy;
    server_.reset();
    return executed_->start(placements);
  }

 private:
  std::unique_ptr<WorkerSource> executed_;
  std::unique_ptr<ForkServer> server_;
};

}  // namespace

bool send_request(int socket, const Placements& placements) {
  Message message(placements.size());
  cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(placements.size() * sizeof(int));
  for (std::size_t i = 0; i < placements.size(); ++i) {
    message.numbers.at(i) = placements[i].second;
    std::memcpy(CMSG_DATA(part) + i * sizeof(int), &placements[i].first, sizeof(int));
  }
  return sendmsg(socket, &message.header, MSG_NOSIGNAL) > 0;
}

std::optional<Arrivals> receive_request(int socket) {
  Message message(kMostDescriptors);
  const ssize_t size = receive_message(socket, message);
  std::vector<FileDescriptor> descriptors = descriptors_of(message.header);
  if (size <= 0 || static_cast<std::size_t>(size) != descriptors.size() * sizeof(int)) return std::nullopt;
  Arrivals arrivals;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    arrivals.emplace_back(std::move(descriptors[i]), message.numbers.at(i));
  }
  return arrivals;
}

void send_process(int socket, pid_t process) { send(socket, &process, sizeof(process), MSG_NOSIGNAL); }

pid_t receive_process(int socket, int milliseconds) {
  pollfd ready{socket, POLLIN, 0};
  int count = -1;
  do {
    count = poll(&ready, 1, milliseconds);
  } while (count < 0 && errno == EINTR);
  pid_t process = 0;
  if (count <= 0 || recv(socket, &process, sizeof(process), 0) != sizeof(process)) return 0;
  return process;
}

bool serve_forks(const std::function<const Engine&()>& load_engine, int socket) {
  load_engine();
  FileDescriptor channel(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  while (auto arrivals = receive_request(channel.get())) {
    const pid_t copy = can_be_copied() ? fork_orphan() : -1;
    if (copy == 0) {
      setpgid(0, 0);
      channel.reset();
      place(std::move(*arrivals));
      return true;
    }
    arrivals.reset();
    send_process(channel.get(), std::max(copy, 0));
  }
  return false;
}

std::unique_ptr<WorkerSource> forked_workers(std::vector<std::string> command) {
  // A copy is the child of a process that ends at once, so that this one can wait for it.
  if (!adopt_orphans()) return executed_workers(std::move(command));
  return std::make_unique<ForkedWorkers>(command);
}

}  // namespace gpubench
