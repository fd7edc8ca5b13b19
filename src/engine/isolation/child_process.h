#pragma once
// Child processes with a pipe for each direction. Workers execute their program, or are copies of a process
// that has loaded the engine.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// The descriptor on which a worker answers.
inline constexpr int kReplyDescriptor = 3;

/// Takes over `descriptor` and moves it above those with a meaning in a child process, with close-on-exec.
/// Closed if that fails, with errno set.
FileDescriptor moved_up(int descriptor);

/// Collects text and hands out its lines.
struct LineBuffer {
  std::string text{};
  std::size_t searched = 0;  ///< No line ends before.

  /// Removes and returns the first whole line.
  std::optional<std::string> next();
};

/// Descriptors of this process, each with its number in another process: the same, or at most 3.
using Placements = std::vector<std::pair<int, int>>;

/// Starts a worker, a process that answers requests (see serve() in worker.h): a new child of this process in
/// a group of its own, with these descriptors. Returns 0 if the caller must try again with other descriptors,
/// because another process may still hold these. Waits until `deadline` at most. Throws a usage Error if none
/// can be started. Used by one thread.
using ProcessFactory = std::function<pid_t(const Placements& placements, const Deadline& deadline)>;

/// Executes `command`, its program first, a path or a name on PATH, for each worker.
ProcessFactory executed_workers(std::vector<std::string> command);

/// Lets one process, `command` with "--fork-server" added, load the engine and copies it for each worker, see
/// serve_forks(). Falls back to executing `command` if the system cannot copy processes safely, or if that
/// process does not answer.
ProcessFactory forked_workers(std::vector<std::string> command);

/// The usage Error of a worker whose program cannot be executed.
struct UnstartableProgram : Error {
  using Error::Error;
};

/// Serves in the process that is copied: loads the engine, then makes a copy for each request that comes over
/// `socket`. Returns true in each copy, whose descriptors are those of a worker, and false in the process
/// itself once the other end is closed.
bool serve_forks(const std::function<void()>& load_engine, int socket);

/// Asks for a copy. Returns false if the other end is closed.
bool send_request(int socket, const Placements& placements);

/// Waits for the copy that `server` makes, unless it is stopped; returns 0 if there is no answer.
pid_t receive_process(int socket, pid_t server, const Deadline& deadline);

/// Returns true if that child of this process was stopped (SIGSTOP).
bool is_stopped(pid_t child);

/// How a child ended and what it used.
struct ChildEnd {
  int exit_code = 0;  ///< 0 if a signal ended it.
  int signal = 0;     ///< 0 if it ended by itself.
  Seconds cpu;        ///< User and system time, of its own children too.
  Bytes peak_resident;
  Seconds duration;                      ///< Its whole life.
  std::vector<std::string> stderr_tail;  ///< Of its stdout and stderr.
};

/// A process in a group of its own, so that a Ctrl-C at the terminal reaches this process alone. The child
/// reads lines from its standard input and replies on kReplyDescriptor, or on stdout; other output on stdout
/// and stderr is kept for `stderr_tail`. Not thread-safe. The destructor kills the group.
class ChildProcess {
 public:
  /// Has `workers` start one before `deadline`. The descriptors in `inherited` are open in the child under
  /// the same numbers. Throws what `workers` throws.
  ChildProcess(const ProcessFactory& workers, const std::vector<int>& inherited,
               const Deadline& deadline = {}, int reply_descriptor = kReplyDescriptor);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// When it was started, by SteadyClock.
  Seconds start() const { return start_; }

  /// Sends a line. After a failure nothing more is sent, and read() reports the child's end.
  void send(const std::string& line);

  /// Waits until there is output, one of `wake` is readable or `limit` is over, and takes the output. Returns
  /// false once the child has closed its end of the replies, or its output is too long.
  bool read(Seconds limit, const std::vector<int>& wake = {});

  /// Describes the output that is too long; empty if there is none.
  std::string_view oversized_output() const;

  /// Returns the next whole line of replies.
  std::optional<std::string> next_reply();

  /// Returns all replies that were not taken, lines or not.
  std::string take_replies();

  bool is_stopped() const { return gpubench::is_stopped(process_); }

  /// Ends the child's input.
  void close_requests() { requests_.reset(); }

  /// Kills the child and its group.
  void kill();

  /// Waits for its end, and kills it after a while; call after read() returned false or kill().
  ChildEnd wait();

 private:
  pid_t start(const ProcessFactory& workers, const std::vector<int>& inherited, const Deadline& deadline,
              int reply_descriptor);
  void take_stderr();

  pid_t process_ = -1;
  Seconds start_;
  bool is_reaped_ = false;
  FileDescriptor requests_;
  FileDescriptor replies_;
  FileDescriptor stderr_;
  LineBuffer reply_lines_;
  std::string stderr_text_;      // Its end.
  std::size_t stderr_size_ = 0;  // Since the last reply.
};

}  // namespace gpubench
