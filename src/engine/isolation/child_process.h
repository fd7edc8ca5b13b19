#pragma once
// A child process with a pipe for each direction.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/isolation/process_factory.h"
#include "engine/isolation/worker.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/units.h"

namespace gpubench {

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
