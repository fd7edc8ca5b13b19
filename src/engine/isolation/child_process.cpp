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
#include "engine/isolation/shared_datasets.h"
#include "engine/plan/stopping.h"
#include "gpubench/core/clock.h"

namespace gpubench {
namespace {

constexpr std::size_t kKeptNoise = 16 * 1024;  // Of what a child writes to stderr, the end.
constexpr std::size_t kLastLines = 20;
constexpr std::size_t kMostNoise = 1 << 30;  // Between two replies; no log of a library is that long.
// The row of a case with as many epochs as can be: of each all its phases and figures.
constexpr std::size_t kBytesOfEpoch = 1024;
constexpr std::size_t kLongestReply = (1 << 20) + kBytesOfEpoch * static_cast<std::size_t>(kMostEpochs);
constexpr int kMillisecondsBetweenTries = 5;
constexpr Seconds kGrace{20};             // For drivers to tear down what a case has left.
constexpr std::size_t kChunk = 8 * 1024;  // Stacks may be small.
constexpr int kMostChunksLeft = 256;      // No pipe holds more than so many times what drain() takes at once.

/// `descriptor` above those that the child's own ends become, closed in any other child.
FileDescriptor moved_up(int descriptor) {
  FileDescriptor old(descriptor);
  FileDescriptor moved(fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFreeDescriptor));
  if (!moved.is_open()) fail_to_start("no descriptor is free", errno);
  return moved;
}

struct Pipe {
  FileDescriptor source;
  FileDescriptor sink;
};

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) fail_to_start("no pipe is free", errno);
  return {moved_up(ends[0]), moved_up(ends[1])};
}

Seconds to_seconds(const timeval& time) {
  return {static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec)};
}

/// Waits for at most so long; a closed descriptor never has anything.
bool is_readable(const FileDescriptor& source, int milliseconds) {
  pollfd ready{source.get(), POLLIN, 0};
  return poll(&ready, 1, milliseconds) > 0;
}

/// Appends what can be read without waiting. False at the end of the stream.
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
  // Where children are ignored the system tells nothing of their ends.
  signal(SIGCHLD, SIG_DFL);
  process_ = start(workers, inherited, deadline, reply_descriptor);
  if (process_ == 0) process_ = start(workers, inherited, deadline, reply_descriptor);
  start_ = SteadyClock().now();
}

pid_t ChildProcess::start(const ProcessFactory& workers, const std::vector<int>& inherited,
                          const Deadline& deadline, int reply_descriptor) {
  Pipe requests = open_pipe();
  Pipe replies = open_pipe();
  Pipe stderr_text = open_pipe();
  Placements placements{{requests.source.get(), STDIN_FILENO}, {stderr_text.sink.get(), STDERR_FILENO}};
  if (reply_descriptor != STDOUT_FILENO) placements.emplace_back(stderr_text.sink.get(), STDOUT_FILENO);
  placements.emplace_back(replies.sink.get(), reply_descriptor);
  for (const int descriptor : inherited) placements.emplace_back(descriptor, descriptor);
  const pid_t process = workers(placements, deadline);
  requests_ = std::move(requests.sink);
  replies_ = std::move(replies.source);
  noise_ = std::move(stderr_text.source);
  return process;
}

ChildProcess::~ChildProcess() {
  if (is_reaped_) return;
  kill();
  wait();
}

void ChildProcess::send(const std::string& line) {
  // Writing to a pipe that nobody reads is to be an error and not a signal.
  const auto before = signal(SIGPIPE, SIG_IGN);
  const bool is_sent = write_all(requests_.get(), line + "\n");
  signal(SIGPIPE, before);
  // It would wait for the rest; so it ends.
  if (!is_sent) close_requests();
}

bool ChildProcess::read(Seconds limit, const std::vector<int>& wake) {
  std::vector<pollfd> sources{{replies_.get(), POLLIN, 0}, {noise_.get(), POLLIN, 0}};
  for (const int descriptor : wake) sources.push_back({descriptor, POLLIN, 0});
  const auto count = static_cast<nfds_t>(sources.size());
  if (poll(sources.data(), count, Deadline(limit).milliseconds()) <= 0) return true;
  if (sources[1].revents != 0) take_noise();
  if (sources[0].revents != 0 && !drain(replies_, reply_text_)) return false;
  return oversized_output().empty();
}

void ChildProcess::take_noise() {
  const std::size_t before = noise_text_.size();
  if (!drain(noise_, noise_text_)) noise_.reset();
  noise_size_ += noise_text_.size() - before;
  if (noise_text_.size() > 2 * kKeptNoise) noise_text_.erase(0, noise_text_.size() - kKeptNoise);
}

std::string_view ChildProcess::oversized_output() const {
  if (reply_text_.size() > kLongestReply) return "a line without an end";
  return noise_size_ > kMostNoise ? "words without an end, and no message" : "";
}

std::optional<std::string> ChildProcess::next_reply() {
  const std::size_t end = reply_text_.find('\n', searched_);
  searched_ = end == std::string::npos ? reply_text_.size() : 0;
  if (end == std::string::npos) return std::nullopt;
  std::string line = reply_text_.substr(0, end);
  reply_text_.erase(0, end + 1);
  noise_size_ = 0;
  return line;
}

std::string ChildProcess::take_replies() {
  searched_ = 0;
  return std::exchange(reply_text_, {});
}

std::vector<std::string> ChildProcess::stderr_tail() const {
  std::vector<std::string> lines;
  std::istringstream text(noise_text_);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  if (lines.size() > kLastLines) lines.erase(lines.begin(), lines.end() - kLastLines);
  return lines;
}

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
    if (is_readable(noise_, kMillisecondsBetweenTries)) take_noise();
  }
  is_reaped_ = true;
  // A wrapper around the worker may have left some of its own.
  ::kill(-process_, SIGKILL);
  // What it wrote before its end may still lie in the pipe.
  for (int chunk = 0; chunk < kMostChunksLeft && is_readable(noise_, 0); ++chunk) take_noise();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0,
          WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime),
          resident_bytes(usage.ru_maxrss),
          SteadyClock().now() - start_,
          stderr_tail()};
}

}  // namespace gpubench
