#pragma once
// Child processes with a pipe for each direction: executed programs, or copies of a loaded process.

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

/// Takes over `descriptor`, moves it above reserved ones, close-on-exec. On failure closes it, sets errno.
FileDescriptor moved_up(int descriptor);

struct LineBuffer {
  std::string text{};
  std::size_t searched = 0;  ///< No line ends before.

  std::optional<std::string> next();
};

/// Descriptors of this process, each with its number in another process: the same, or at most 3.
using Placements = std::vector<std::pair<int, int>>;

/// Starts a worker in its own process group. Returns 0 if the caller must retry with other descriptors.
/// Waits until `deadline` at most. Throws a usage Error on failure. Used by one thread.
using ProcessFactory = std::function<pid_t(const Placements& placements, const Deadline& deadline)>;

/// Executes `command`, its program first, a path or a name on PATH, for each worker.
ProcessFactory executed_workers(std::vector<std::string> command);

/// Copies a process that has loaded the engine, see serve_forks(). Executes `command` if copying fails.
ProcessFactory forked_workers(std::vector<std::string> command);

/// The usage Error of a worker whose program cannot be executed.
struct UnstartableProgram : Error {
  using Error::Error;
};

/// Loads the engine, then forks per request on `socket`. Returns true in each copy, false at the end.
bool serve_forks(const std::function<void()>& load_engine, int socket);

/// Asks for a copy. Returns false if the other end is closed.
bool send_request(int socket, const Placements& placements);

/// Waits for the copy that `server` makes, unless it is stopped; returns 0 if there is no answer.
pid_t receive_process(int socket, pid_t server, const Deadline& deadline);

bool is_stopped(pid_t child);

struct ChildEnd {
  int exit_code = 0;  ///< 0 if a signal ended it.
  int signal = 0;     ///< 0 if it ended by itself.
  Seconds cpu;        ///< User and system time, of its own children too.
  Bytes peak_resident;
  Seconds duration;                      ///< Its whole life.
  std::vector<std::string> stderr_tail;  ///< Of its stdout and stderr.
};

/// A process in its own group, so that Ctrl-C at the terminal does not reach it. Replies on kReplyDescriptor
/// or stdout; other output is kept for `stderr_tail`. Not thread-safe. The destructor kills the group.
class ChildProcess {
 public:
  /// Starts a worker with the descriptors in `inherited`. Throws what `workers` throws.
  ChildProcess(const ProcessFactory& workers, const std::vector<int>& inherited,
               const Deadline& deadline = {}, int reply_descriptor = kReplyDescriptor);
  ~ChildProcess();

  /// When it was started, by SteadyClock.
  Seconds start() const { return start_; }

  /// Sends a line. After a failure nothing more is sent, and read() reports the child's end.
  void send(const std::string& line);

  /// Waits for output, a readable `wake` or `limit`. Returns false after the last reply or oversized output.
  bool read(Seconds limit, const std::vector<int>& wake = {});

  std::string_view oversized_output() const;

  std::optional<std::string> next_reply();

  /// Returns all replies that were not taken, lines or not.
  std::string take_replies();

  bool is_stopped() const { return gpubench::is_stopped(process_); }

  void close_requests() { requests_.reset(); }

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
