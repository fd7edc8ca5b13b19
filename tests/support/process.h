#pragma once
// Runs a program and keeps what it prints.

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace gpubench::test {

struct ProcessResult {
  int exit_code = -1;  ///< Minus the signal's number where one ended it.
  std::string out;
  std::string err;
};

/// A program that runs beside the test. What is left of it at the end is killed.
class StartedProcess {
 public:
  /// Whether a signal of the terminal reaches it too, or it leads a group that can be killed as a whole.
  enum class Group { kOfTest, kOwn };

  /// As run_process, but does not wait.
  StartedProcess(const std::string& program, const std::vector<std::string>& arguments,
                 const std::string& folder, const std::map<std::string, std::string>& environment,
                 Group group = Group::kOfTest);
  ~StartedProcess();
  StartedProcess(const StartedProcess&) = delete;
  StartedProcess& operator=(const StartedProcess&) = delete;

  pid_t id() const { return child_; }
  /// Whether it still runs; its result is to be had from wait() in any case.
  bool is_running();
  void send(int signal) const;
  /// Kills all processes of the group that it leads, which may outlive it.
  void kill_group() const;
  /// What it has printed to stderr so far.
  std::string err() const;
  /// What it has printed once it has ended. Throws std::runtime_error where it could not be started.
  ProcessResult wait();

 private:
  std::string program_;
  Group group_;
  TempDir outputs_;
  pid_t child_ = -1;
  int status_ = 0;
  bool is_reaped_ = false;
};

/// Runs `program` with `arguments` in `folder` and waits for it. `environment` is set on top of this
/// process's own; an empty value removes the variable. No standard input. Throws std::runtime_error where the
/// program cannot be started.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& folder, const std::map<std::string, std::string>& environment);

}  // namespace gpubench::test
