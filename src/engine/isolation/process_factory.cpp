#include "engine/isolation/process_factory.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/error.h"

extern char** environ;  // Not every system's headers have it.

namespace gpubench {
namespace {

// --- Programs that are executed.

std::string not_started(const std::string& what, int error) {
  return fmt::format("a case's process: {}: {}; free some of it, or try --isolate none", what,
                     std::strerror(error));
}

/// Changes the descriptors that keep their numbers.
void set_inheritable(const Placements& placements, bool is_inheritable) {
  for (const auto& [from, to] : placements) {
    if (from == to) fcntl(from, F_SETFD, is_inheritable ? 0 : FD_CLOEXEC);
  }
}

/// Starts `arguments[0]` in a group of its own, with default signals and without the signal mask of an
/// InterruptWatch.
pid_t start_program(const std::vector<std::string>& arguments, const Placements& placements) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  for (const auto& [from, to] : placements) {
    if (from != to) posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  set_inheritable(placements, true);
  // A child begins with the peak of the process whose memory it shares until it executes its program.
  forget_peak_resident();
  pid_t process = -1;
  int error = 0;
  {
    const InitialAffinity affinity;
    error = posix_spawnp(&process, words.front(), &actions, &attributes, words.data(), environ);
  }
  set_inheritable(placements, false);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw UnstartableProgram(ErrorKind::kUsage,
                             not_started("'" + arguments.front() + "' cannot be started", error));
  return process;
}

// --- Copies of a process.

constexpr std::size_t kMostDescriptors = 16;  // Of one request: three ends and a dataset are usual.
constexpr Seconds kLongestLoading{120};       // The engine comes off a slow disk the first time.

/// Descriptors that arrived, with the numbers that they get.
using Arrivals = std::vector<std::pair<FileDescriptor, int>>;

/// A message with descriptors. Its parts point at each other.
struct Message {
  explicit Message(std::size_t count) {
    data = {numbers.data(), count * sizeof(int)};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = static_cast<decltype(header.msg_controllen)>(CMSG_SPACE(count * sizeof(int)));
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::array<int, kMostDescriptors> numbers{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  iovec data{};
  msghdr header{};
};

Arrivals make_arrivals(Message& message) {
  Arrivals arrivals;
  const cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  if (part == nullptr || part->cmsg_type != SCM_RIGHTS) return arrivals;
  const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
    arrivals.emplace_back(FileDescriptor(descriptor), message.numbers.at(i));
  }
  return arrivals;
}

/// Makes a copy that becomes an orphan. Returns 0 in the copy; its number, or -1, in this process.
pid_t fork_orphan() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  const FileDescriptor source(ends[0]);
  FileDescriptor sink(ends[1]);
  const pid_t middle = fork();
  if (middle == 0) {
    const pid_t copy = fork();
    if (copy == 0) return 0;
    // Here and in the copy: the group must exist before the supervisor ends it.
    setpgid(copy, copy);
    _exit(write(sink.get(), &copy, sizeof(copy)) == sizeof(copy) ? 0 : 1);
  }
  sink.reset();
  if (middle > 0) waitpid(middle, nullptr, 0);
  pid_t copy = -1;
  return read(source.get(), &copy, sizeof(copy)) == sizeof(copy) ? copy : -1;
}

/// Gives each descriptor its number, in two steps since another one may still have it. Ends the process on
/// failure: without them it would wait forever.
void place(Arrivals arrivals) {
  int last = STDERR_FILENO;
  for (const auto& [descriptor, number] : arrivals) last = std::max(last, number);
  for (auto& [descriptor, number] : arrivals) {
    descriptor.reset(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, last + 1));
  }
  for (const auto& [descriptor, number] : arrivals) {
    if (dup2(descriptor.get(), number) < 0) _exit(1);
  }
}

/// Waits for a request. Returns nothing if the other end is closed, or for a malformed request.
std::optional<Arrivals> receive_request(int socket) {
  Message message(kMostDescriptors);
  ssize_t size = -1;
  do {
    size = recvmsg(socket, &message.header, 0);
  } while (size < 0 && errno == EINTR);
  Arrivals arrivals = make_arrivals(message);
  if (size <= 0 || static_cast<std::size_t>(size) != arrivals.size() * sizeof(int)) return std::nullopt;
  return arrivals;
}

/// The process that is copied.
class ForkServer {
 public:
  explicit ForkServer(const std::vector<std::string>& command) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0) return;
    socket_.reset(ends[0]);
    const FileDescriptor its_end(ends[1]);
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
    // An executed worker will print the same errors again.
    const FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
    process_ = start_program(
        command,
        {{its_end.get(), STDIN_FILENO}, {nowhere.get(), STDOUT_FILENO}, {nowhere.get(), STDERR_FILENO}});
  }

  ~ForkServer() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  /// Returns 0 if it makes none.
  pid_t copy(const Placements& placements, const Deadline& deadline) {
    if (process_ <= 0 || !send_request(socket_.get(), placements)) return 0;
    return receive_process(socket_.get(), process_, deadline.at_most(kLongestLoading));
  }

 private:
  FileDescriptor socket_;
  pid_t process_ = -1;
};

}  // namespace

FileDescriptor moved_up(int descriptor) {
  const FileDescriptor old(descriptor);
  return FileDescriptor(descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFreeDescriptor));
}

std::optional<std::string> LineBuffer::next() {
  const std::size_t end = text.find('\n', searched);
  searched = end == std::string::npos ? text.size() : 0;
  if (end == std::string::npos) return std::nullopt;
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

void fail_to_start(const std::string& what, int error) {
  throw Error(ErrorKind::kUsage, not_started(what, error));
}

ProcessFactory executed_workers(std::vector<std::string> command) {
  return [command = std::move(command)](const Placements& placements, const Deadline&) {
    return start_program(command, placements);
  };
}

ProcessFactory forked_workers(std::vector<std::string> command) {
  ProcessFactory executed = executed_workers(command);
  // The copy's parent ends at once, so that this process becomes the parent.
  if (!adopt_orphans()) return executed;
  command.emplace_back("--fork-server");
  return [executed, server = std::make_shared<ForkServer>(command)](const Placements& placements,
                                                                    const Deadline& deadline) mutable {
    if (!server) return executed(placements, deadline);
    const pid_t copy = server->copy(placements, deadline);
    // It may have made a copy all the same, which ends once its descriptors are closed here.
    if (copy <= 0) server.reset();
    return copy;
  };
}

bool serve_forks(const std::function<void()>& load_engine, int socket) {
  load_engine();
  FileDescriptor channel(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  while (auto arrivals = receive_request(channel.get())) {
    // A copy lacks other threads, but has the locks that they hold.
    const pid_t copy = thread_count() == 1 ? fork_orphan() : -1;
    if (copy == 0) {
      setpgid(0, 0);
      channel.reset();
      place(std::move(*arrivals));
      return true;
    }
    arrivals.reset();
    const pid_t made = std::max(copy, 0);
    send(channel.get(), &made, sizeof(made), MSG_NOSIGNAL);
  }
  return false;
}

bool send_request(int socket, const Placements& placements) {
  Message message(placements.size());
  cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = static_cast<decltype(part->cmsg_len)>(CMSG_LEN(placements.size() * sizeof(int)));
  for (std::size_t i = 0; i < placements.size(); ++i) {
    message.numbers.at(i) = placements[i].second;
    std::memcpy(CMSG_DATA(part) + i * sizeof(int), &placements[i].first, sizeof(int));
  }
  return sendmsg(socket, &message.header, MSG_NOSIGNAL) > 0;
}

pid_t receive_process(int socket, pid_t server, const Deadline& deadline) {
  constexpr Seconds kBetweenLooks{0.25};
  pollfd ready{socket, POLLIN, 0};
  int count = 0;
  do {
    count = poll(&ready, 1, deadline.at_most(kBetweenLooks).milliseconds());
  } while ((count == 0 || (count < 0 && errno == EINTR)) && !deadline.is_over() && !is_stopped(server));
  pid_t process = 0;
  if (count <= 0 || recv(socket, &process, sizeof(process), MSG_DONTWAIT) != sizeof(process)) return 0;
  return process;
}

bool is_stopped(pid_t child) {
  siginfo_t stop{};
  constexpr int kOnlyLook = WSTOPPED | WNOHANG | WNOWAIT;
  return waitid(P_PID, static_cast<id_t>(child), &stop, kOnlyLook) == 0 && stop.si_pid == child;
}

}  // namespace gpubench
