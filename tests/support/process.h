#pragma once
// Child processes with captured output.

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace gpubench::test {

struct ProcessResult {
  int exit_code = -1;  ///< Exit code, or the negated number of the signal that ended the process.
  std::string out;
  std::string err;
};

/// A program that runs in the background. The destructor kills it.
class StartedProcess {
 public:
  /// Process group: that of the test, which gets the terminal's signals, or a new one for kill_group().
  enum class Group { kOfTest, kOwn };

  /// Starts the program like run_process(), without waiting for it.
  StartedProcess(const std::string& program, const std::vector<std::string>& arguments,
                 const std::string& folder, const std::map<std::string, std::string>& environment,
                 Group group = Group::kOfTest);
  ~StartedProcess();
  StartedProcess(const StartedProcess&) = delete;
  StartedProcess& operator=(const StartedProcess&) = delete;

  pid_t id() const { return child_; }
  /// Returns whether the program is running. Its result is available from wait() in any case.
  bool is_running();
  void send(int signal) const;
  /// Kills all processes of its own group, including those that outlive the program.
  void kill_group() const;
  /// Returns the stderr output so far.
  std::string err() const;
  /// Waits for the end and returns the result. Throws std::runtime_error if the program could not be started.
  ProcessResult wait();

 private:
  std::string program_;
  Group group_;
  TempDir outputs_;
  pid_t child_ = -1;
  int status_ = 0;
  bool is_reaped_ = false;
};

/// Runs `program` in `folder`, without stdin, and waits for it. `environment` overrides variables of this
/// process; an empty value removes one. Throws std::runtime_error if the program fails to start.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& folder, const std::map<std::string, std::string>& environment);

}  // namespace gpubench::test
