#include "engine/isolation/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sstream>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "engine/plan/plan.h"

extern char** environ;  // Missing in the headers of some systems.

namespace gpubench {
namespace {

std::string not_started(const std::string& what, int error) {
  return fmt::format("worker process: {}: {}; close other programs", what, std::strerror(error));
}

void set_inheritable(const Placements& placements, bool is_inheritable) {
  for (const auto& [from, to] : placements) {
    if (from == to) fcntl(from, F_SETFD, is_inheritable ? 0 : FD_CLOEXEC);
  }
}

/// Starts `arguments[0]` in its own process group, with default signals and an empty signal mask.
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
  // Until exec, the child shares this process's memory and would inherit its peak resident set.
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

constexpr std::size_t kMaxDescriptors = 16;  // In one request; usually three pipe ends and a dataset.
constexpr Seconds kMaxLoading{120};          // Loading the engine from a slow disk.

using Arrivals = std::vector<std::pair<FileDescriptor, int>>;

/// A message with descriptors. Not copyable, since its parts point at each other.
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

  std::array<int, kMaxDescriptors> numbers{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  iovec data{};
  msghdr header{};
};

/// Forks twice, so that the copy becomes an orphan. Returns 0 in the copy, and its id or -1 in this process.
pid_t fork_orphan() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  const FileDescriptor source(ends[0]);
  FileDescriptor sink(ends[1]);
  const pid_t middle = fork();
  if (middle == 0) {
    const pid_t copy = fork();
    if (copy == 0) return 0;
    // Also called in the copy: the group must exist before the supervisor may kill it.
    setpgid(copy, copy);
    _exit(write(sink.get(), &copy, sizeof(copy)) == sizeof(copy) ? 0 : 1);
  }
  sink.reset();
  if (middle > 0) waitpid(middle, nullptr, 0);
  pid_t copy = -1;
  return read(source.get(), &copy, sizeof(copy)) == sizeof(copy) ? copy : -1;
}

/// Moves the descriptors to their numbers, in two steps since a number may be in use. Exits on failure.
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

/// Waits for a request. Returns nullopt if the other end is closed or the request is malformed.
std::optional<Arrivals> receive_request(int socket) {
  Message message(kMaxDescriptors);
  ssize_t size = -1;
  do {
    size = recvmsg(socket, &message.header, 0);
  } while (size < 0 && errno == EINTR);
  Arrivals arrivals;
  if (const cmsghdr* part = CMSG_FIRSTHDR(&message.header);
      part != nullptr && part->cmsg_type == SCM_RIGHTS) {
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      arrivals.emplace_back(FileDescriptor(descriptor), message.numbers.at(i));
    }
  }
  if (size <= 0 || static_cast<std::size_t>(size) != arrivals.size() * sizeof(int)) return std::nullopt;
  return arrivals;
}

class ForkServer {
 public:
  explicit ForkServer(const std::vector<std::string>& command) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0) return;
    socket_.reset(ends[0]);
    const FileDescriptor its_end(ends[1]);
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
    // Errors are dropped here: an executed worker prints them again.
    const FileDescriptor null_device(open("/dev/null", O_WRONLY | O_CLOEXEC));
    process_ = start_program(command, {{its_end.get(), STDIN_FILENO},
                                       {null_device.get(), STDOUT_FILENO},
                                       {null_device.get(), STDERR_FILENO}});
  }

  ~ForkServer() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  /// Returns the id of a copy of the server, or 0 on failure.
  pid_t copy(const Placements& placements, const Deadline& deadline) {
    if (process_ <= 0 || !send_request(socket_.get(), placements)) return 0;
    return receive_process(socket_.get(), process_, deadline.at_most(kMaxLoading));
  }

 private:
  FileDescriptor socket_;
  pid_t process_ = -1;
};

constexpr std::size_t kKeptStderr = 16 * 1024;
constexpr std::size_t kLastLines = 20;
constexpr std::size_t kMaxStderr = 1 << 30;   // Between two replies; longer than any library's log.
constexpr std::size_t kMaxEpochBytes = 1024;  // JSON of an epoch with all phases and figures.
constexpr std::size_t kMaxReply = (1 << 20) + kMaxEpochBytes * static_cast<std::size_t>(kMostEpochs);
constexpr Seconds kBetweenTries{0.005};
constexpr Seconds kGrace{20};             // Drivers need time to release a case's resources.
constexpr std::size_t kChunk = 8 * 1024;  // Small, since it is on the stack.
constexpr int kMaxChunksLeft = 256;       // More than the capacity of a pipe.

struct Pipe {
  FileDescriptor source;
  FileDescriptor sink;
};

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error(ErrorKind::kUsage, not_started("cannot create a pipe", errno));
  Pipe moved{moved_up(ends[0]), moved_up(ends[1])};
  if (!moved.source.is_open() || !moved.sink.is_open())
    throw Error(ErrorKind::kUsage, not_started("cannot duplicate a descriptor", errno));
  return moved;
}

Seconds to_seconds(const timeval& time) {
  return {static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec)};
}

/// Appends the available bytes. Returns false at the end of the stream.
bool drain(const FileDescriptor& source, std::string& text) {
  std::array<char, kChunk> chunk{};
  const ssize_t count = read(source.get(), chunk.data(), chunk.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

FileDescriptor moved_up(int descriptor) {
  constexpr int kFirstFreeDescriptor = 10;
  const FileDescriptor old(descriptor);
  return FileDescriptor(descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFreeDescriptor));
}

bool is_ready(int descriptor, short events, const Deadline& deadline) {
  pollfd ready{descriptor, events, 0};
  int count = 0;
  do {
    count = poll(&ready, 1, deadline.milliseconds());
  } while ((count == 0 || (count < 0 && errno == EINTR)) && !deadline.is_over());
  return count > 0;
}

std::optional<std::string> LineBuffer::next() {
  const std::size_t end = text.find('\n', searched);
  searched = end == std::string::npos ? text.size() : 0;
  if (end == std::string::npos) return std::nullopt;
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

ProcessFactory executed_workers(std::vector<std::string> command) {
  return [command = std::move(command)](const Placements& placements, const Deadline&) {
    return start_program(command, placements);
  };
}

ProcessFactory forked_workers(std::vector<std::string> command) {
  ProcessFactory executed = executed_workers(command);
  // The copy's parent exits at once, so that this process becomes its parent.
  if (!adopt_orphans()) return executed;
  command.emplace_back("--fork-server");
  return [executed, server = std::make_shared<ForkServer>(command)](const Placements& placements,
                                                                    const Deadline& deadline) mutable {
    if (!server) return executed(placements, deadline);
    const pid_t copy = server->copy(placements, deadline);
    // If a late copy exists, it exits when its descriptors are closed here.
    if (copy <= 0) server.reset();
    return copy;
  };
}

bool serve_forks(const std::function<void()>& load_engine, int socket) {
  load_engine();
  FileDescriptor channel(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  while (auto arrivals = receive_request(channel.get())) {
    // Forking is unsafe with other threads: the copy would inherit their locks, but not the threads.
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
  constexpr Seconds kPollInterval{0.25};
  while (!is_ready(socket, POLLIN, deadline.at_most(kPollInterval))) {
    if (deadline.is_over() || is_stopped(server)) return 0;
  }
  pid_t process = 0;
  return recv(socket, &process, sizeof(process), MSG_DONTWAIT) == sizeof(process) ? process : 0;
}

bool is_stopped(pid_t child) {
  siginfo_t stop{};
  constexpr int kOnlyLook = WSTOPPED | WNOHANG | WNOWAIT;
  return waitid(P_PID, static_cast<id_t>(child), &stop, kOnlyLook) == 0 && stop.si_pid == child;
}

ChildProcess::ChildProcess(const ProcessFactory& workers, const std::vector<int>& inherited,
                           const Deadline& deadline, int reply_descriptor) {
  signal(SIGCHLD, SIG_DFL);  // With SIG_IGN, exit statuses are lost.
  do {
    Pipe requests = open_pipe();
    Pipe replies = open_pipe();
    Pipe errors = open_pipe();
    Placements placements{{requests.source.get(), STDIN_FILENO}, {errors.sink.get(), STDERR_FILENO}};
    if (reply_descriptor != STDOUT_FILENO) placements.emplace_back(errors.sink.get(), STDOUT_FILENO);
    placements.emplace_back(replies.sink.get(), reply_descriptor);
    for (const int descriptor : inherited) placements.emplace_back(descriptor, descriptor);
    process_ = workers(placements, deadline);
    requests_ = std::move(requests.sink);
    replies_ = std::move(replies.source);
    stderr_ = std::move(errors.source);
  } while (process_ == 0);
  start_ = SteadyClock().now();
}

ChildProcess::~ChildProcess() {
  if (is_reaped_) return;
  kill();
  wait();
}

void ChildProcess::send(const std::string& line) {
  // Turns a broken pipe into an error instead of a signal.
  const auto before = signal(SIGPIPE, SIG_IGN);
  const bool is_sent = write_all(requests_.get(), line + "\n");
  signal(SIGPIPE, before);
  if (!is_sent) close_requests();  // Otherwise the child waits for the rest of the line.
}

bool ChildProcess::read(Seconds limit, const std::vector<int>& wake) {
  std::vector<pollfd> sources{{replies_.get(), POLLIN, 0}, {stderr_.get(), POLLIN, 0}};
  for (const int descriptor : wake) sources.push_back({descriptor, POLLIN, 0});
  const auto count = static_cast<nfds_t>(sources.size());
  if (poll(sources.data(), count, Deadline(limit).milliseconds()) <= 0) return true;
  if (sources[1].revents != 0) take_stderr();
  if (sources[0].revents != 0 && !drain(replies_, reply_lines_.text)) return false;
  return oversized_output().empty();
}

void ChildProcess::take_stderr() {
  const std::size_t before = stderr_text_.size();
  if (!drain(stderr_, stderr_text_)) stderr_.reset();
  stderr_size_ += stderr_text_.size() - before;
  if (stderr_text_.size() > 2 * kKeptStderr) stderr_text_.erase(0, stderr_text_.size() - kKeptStderr);
}

std::string_view ChildProcess::oversized_output() const {
  if (reply_lines_.text.size() > kMaxReply) return "an endless line";
  return stderr_size_ > kMaxStderr ? "endless stderr output" : "";
}

std::optional<std::string> ChildProcess::next_reply() {
  auto line = reply_lines_.next();
  if (line) stderr_size_ = 0;
  return line;
}

std::string ChildProcess::take_replies() { return std::exchange(reply_lines_, {}).text; }

void ChildProcess::kill() {
  if (!is_reaped_) ::kill(-process_, SIGKILL);
}

ChildEnd ChildProcess::wait() {
  const Deadline grace(kGrace);
  int status = 0;
  rusage usage{};
  while (wait4(process_, &status, WNOHANG, &usage) == 0) {
    if (grace.is_over()) kill();
    // A child blocks while its pipe is full.
    if (is_ready(stderr_.get(), POLLIN, Deadline(kBetweenTries))) take_stderr();
  }
  is_reaped_ = true;
  // Kills processes that a wrapper around the worker may have left.
  ::kill(-process_, SIGKILL);
  const Deadline at_once(Seconds{0});
  for (int chunk = 0; chunk < kMaxChunksLeft && is_ready(stderr_.get(), POLLIN, at_once); ++chunk)
    take_stderr();
  ChildEnd end{WIFEXITED(status) ? WEXITSTATUS(status) : 0,
               WIFSIGNALED(status) ? WTERMSIG(status) : 0,
               to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime),
               resident_bytes(usage.ru_maxrss),
               SteadyClock().now() - start_,
               {}};
  std::istringstream text(stderr_text_);
  for (std::string line; std::getline(text, line);) end.stderr_tail.push_back(line);
  if (end.stderr_tail.size() > kLastLines)
    end.stderr_tail.erase(end.stderr_tail.begin(), end.stderr_tail.end() - kLastLines);
  return end;
}

}  // namespace gpubench
