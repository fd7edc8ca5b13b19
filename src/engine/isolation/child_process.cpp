#include "engine/isolation/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <utility>

#include "device/host/host_process.h"
#include "engine/plan/stopping.h"
#include "gpubench/core/clock.h"

namespace gpubench {
namespace {

constexpr std::size_t kKeptStderr = 16 * 1024;
constexpr std::size_t kLastLines = 20;
constexpr std::size_t kMostStderr = 1 << 30;  // Between two replies; no log of a library is that long.
constexpr std::size_t kBytesOfEpoch = 1024;   // In the row of a case with all phases and figures.
constexpr std::size_t kLongestReply = (1 << 20) + kBytesOfEpoch * static_cast<std::size_t>(kMostEpochs);
constexpr int kMillisecondsBetweenTries = 5;
constexpr Seconds kGrace{20};             // For drivers to tear down what a case has left.
constexpr std::size_t kChunk = 8 * 1024;  // Stacks may be small.
constexpr int kMostChunksLeft = 256;      // No pipe holds more.

struct Pipe {
  FileDescriptor source;
  FileDescriptor sink;
};

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) fail_to_start("no pipe is free", errno);
  Pipe moved{moved_up(ends[0]), moved_up(ends[1])};
  if (!moved.source.is_open() || !moved.sink.is_open()) fail_to_start("no descriptor is free", errno);
  return moved;
}

Seconds to_seconds(const timeval& time) {
  return {static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec)};
}

bool is_readable(const FileDescriptor& source, int milliseconds) {
  pollfd ready{source.get(), POLLIN, 0};
  return poll(&ready, 1, milliseconds) > 0;
}

/// Appends what can be read without waiting. Returns false at the end of the stream.
bool drain(const FileDescriptor& source, std::string& text) {
  std::array<char, kChunk> chunk{};
  const ssize_t count = read(source.get(), chunk.data(), chunk.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

ChildProcess::ChildProcess(const ProcessFactory& workers, const std::vector<int>& inherited,
                           const Deadline& deadline, int reply_descriptor) {
  signal(SIGCHLD, SIG_DFL);  // The status of an ignored child is lost.
  process_ = start(workers, inherited, deadline, reply_descriptor);
  if (process_ == 0) process_ = start(workers, inherited, deadline, reply_descriptor);
  start_ = SteadyClock().now();
}

pid_t ChildProcess::start(const ProcessFactory& workers, const std::vector<int>& inherited,
                          const Deadline& deadline, int reply_descriptor) {
  Pipe requests = open_pipe();
  Pipe replies = open_pipe();
  Pipe errors = open_pipe();
  Placements placements{{requests.source.get(), STDIN_FILENO}, {errors.sink.get(), STDERR_FILENO}};
  if (reply_descriptor != STDOUT_FILENO) placements.emplace_back(errors.sink.get(), STDOUT_FILENO);
  placements.emplace_back(replies.sink.get(), reply_descriptor);
  for (const int descriptor : inherited) placements.emplace_back(descriptor, descriptor);
  const pid_t process = workers(placements, deadline);
  requests_ = std::move(requests.sink);
  replies_ = std::move(replies.source);
  stderr_ = std::move(errors.source);
  return process;
}

ChildProcess::~ChildProcess() {
  if (is_reaped_) return;
  kill();
  wait();
}

void ChildProcess::send(const std::string& line) {
  // A pipe without a reader must be an error and not a signal.
  const auto before = signal(SIGPIPE, SIG_IGN);
  const bool is_sent = write_all(requests_.get(), line + "\n");
  signal(SIGPIPE, before);
  if (!is_sent) close_requests();  // The child would wait for the rest of the line.
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
  if (reply_lines_.text.size() > kLongestReply) return "a line without an end";
  return stderr_size_ > kMostStderr ? "words without an end, and no message" : "";
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
    // A child whose pipe is full cannot end.
    if (is_readable(stderr_, kMillisecondsBetweenTries)) take_stderr();
  }
  is_reaped_ = true;
  // A wrapper around the worker may have left some of its own.
  ::kill(-process_, SIGKILL);
  for (int chunk = 0; chunk < kMostChunksLeft && is_readable(stderr_, 0); ++chunk) take_stderr();
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
