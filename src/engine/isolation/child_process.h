#pragma once
// Child processes with a pipe per direction: executed programs, or forks of a process with a loaded engine.

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

/// Descriptor to which a worker writes its replies.
inline constexpr int kReplyDescriptor = 3;

/// Takes ownership of `descriptor` and moves it above the reserved numbers, close-on-exec. On failure closes
/// it and sets errno.
FileDescriptor moved_up(int descriptor);

/// Waits for one of these events of poll(). Returns false after `deadline`.
bool is_ready(int descriptor, short events, const Deadline& deadline);

struct LineBuffer {
  std::string text{};
  std::size_t searched = 0;  ///< Position before which `text` has no line end.

  std::optional<std::string> next();
};

/// Descriptors of this process, each with its number in the child: the same number, or at most 3.
using Placements = std::vector<std::pair<int, int>>;

/// Starts a worker in its own process group, at the latest by `deadline`. Returns 0 if the caller must retry
/// with other descriptors. Throws a usage Error on failure. Not thread-safe.
using ProcessFactory = std::function<pid_t(const Placements& placements, const Deadline& deadline)>;

/// Executes `command` for each worker. Its first word is a path, or a program on PATH.
ProcessFactory executed_workers(std::vector<std::string> command);

/// Forks a process that has loaded the engine, see serve_forks(). Executes `command` if forking fails.
ProcessFactory forked_workers(std::vector<std::string> command);

/// Usage Error for a worker whose program cannot be executed.
struct UnstartableProgram : Error {
  using Error::Error;
};

/// Loads the engine, then forks once per request on `socket`. Returns true in each copy, false at the end.
bool serve_forks(const std::function<void()>& load_engine, int socket);

/// Requests a copy. Returns false if the other end is closed.
bool send_request(int socket, const Placements& placements);

/// Waits for the id of the copy that `server` makes; returns 0 if the server is stopped or does not answer.
pid_t receive_process(int socket, pid_t server, const Deadline& deadline);

bool is_stopped(pid_t child);

struct ChildEnd {
  int exit_code = 0;  ///< Exit code; 0 if a signal ended the process.
  int signal = 0;     ///< Signal that ended the process; 0 if it exited.
  Seconds cpu;        ///< User and system time, including its children.
  Bytes peak_resident;
  Seconds duration;                      ///< Lifetime of the process.
  std::vector<std::string> stderr_tail;  ///< Last lines of stdout and stderr.
};

/// A child in its own process group, so that Ctrl-C at the terminal does not reach it. The destructor kills
/// the group. Output other than replies is kept for `stderr_tail`. Not thread-safe.
class ChildProcess {
 public:
  /// Starts a worker that inherits the descriptors in `inherited`. Throws like `workers`.
  ChildProcess(const ProcessFactory& workers, const std::vector<int>& inherited,
               const Deadline& deadline = {}, int reply_descriptor = kReplyDescriptor);
  ~ChildProcess();

  /// Start time, by SteadyClock.
  Seconds start() const { return start_; }

  /// Sends a line. After a failure, later lines are dropped and read() reports the child's end.
  void send(const std::string& line);

  /// Waits for output, a readable `wake` descriptor, or `limit`. Returns false after the last reply and after
  /// oversized output.
  bool read(Seconds limit, const std::vector<int>& wake = {});

  /// Describes output beyond the limits; empty if within them.
  std::string_view oversized_output() const;

  std::optional<std::string> next_reply();

  /// Returns all remaining reply text, with any incomplete line.
  std::string take_replies();

  bool is_stopped() const { return gpubench::is_stopped(process_); }

  void close_requests() { requests_.reset(); }

  void kill();

  /// Waits for the process to end and kills it after 20 s. Call after kill(), or if read() returned false.
  ChildEnd wait();

 private:
  void take_stderr();

  pid_t process_ = -1;
  Seconds start_;
  bool is_reaped_ = false;
  FileDescriptor requests_;
  FileDescriptor replies_;
  FileDescriptor stderr_;
  LineBuffer reply_lines_;
  std::string stderr_text_;      // Latest part of the output.
  std::size_t stderr_size_ = 0;  // Bytes of output since the last reply.
};

}  // namespace gpubench
