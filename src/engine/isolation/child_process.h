#pragma once
// A child process with a pipe for each direction, which can do to itself what it likes.

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
  int exit_code = 0;  ///< 0 where a signal ended it.
  int signal = 0;     ///< 0 where it ended by itself.
  Seconds cpu;        ///< User and system time, of its own children too.
  Bytes peak_resident;
  Seconds duration;                      ///< Its whole life.
  std::vector<std::string> stderr_tail;  ///< Of what it wrote to stdout and stderr.
};

/// A process in a group of its own, so that a Ctrl-C at the terminal reaches this process alone. The child
/// reads lines from its standard input and replies on kReplyDescriptor, or on stdout; what else it writes to
/// stdout and stderr arrives as `stderr_text`. Not thread-safe. The destructor kills what is left.
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

  /// Sends a line. Where it does not reach the child nothing more will: its end is noticed by reading.
  void send(const std::string& line);

  /// Waits until there is output, one of `wake` is readable or `limit` is over, and takes what has come.
  /// False once the child has closed its end of the replies, or writes without end.
  bool read(Seconds limit, const std::vector<int>& wake = {});

  /// What the child writes without end where that is why read() returned false; else empty.
  std::string_view oversized_output() const;

  /// The next whole line of replies; what follows the last line end is none.
  std::optional<std::string> next_reply();

  /// All replies that have come and were not taken, where they are no lines.
  std::string take_replies();

  /// Whether somebody has stopped the child (SIGSTOP).
  bool is_stopped() const { return gpubench::is_stopped(process_); }

  /// Tells the child that nothing more comes.
  void close_requests() { requests_.reset(); }

  /// Ends the child and its group at once.
  void kill();

  /// Waits for its end, and kills it where that takes too long; call after read() returned false or kill().
  ChildEnd wait();

 private:
  /// 0 as `workers` returns it.
  pid_t start(const ProcessFactory& workers, const std::vector<int>& inherited, const Deadline& deadline,
              int reply_descriptor);
  void take_noise();
  std::vector<std::string> stderr_tail() const;

  pid_t process_ = -1;
  Seconds start_;
  bool is_reaped_ = false;
  FileDescriptor requests_;
  FileDescriptor replies_;
  FileDescriptor noise_;
  std::string reply_text_;
  std::size_t searched_ = 0;  // Of reply_text_: no line ends before.
  std::string noise_text_;
  std::size_t noise_size_ = 0;  // Since the last reply.
};

}  // namespace gpubench
