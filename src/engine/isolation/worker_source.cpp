#include "engine/isolation/worker_source.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cstring>

#include "device/host/host_process.h"
#include "engine/isolation/worker.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// What posix_spawn is told, freed at the end.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    sigset_t changed;  // By an InterruptWatch.
    sigemptyset(&changed);
    sigaddset(&changed, SIGPIPE);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &changed);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void connect(int from, int to) { posix_spawn_file_actions_adddup2(&actions, from, to); }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

void set_inheritable(int descriptor, bool is_inheritable) {
  fcntl(descriptor, F_SETFD, is_inheritable ? 0 : FD_CLOEXEC);
}

class ExecutedWorkers : public WorkerSource {
 public:
  explicit ExecutedWorkers(std::vector<std::string> command) : command_(std::move(command)) {}

  pid_t start(const WorkerEnds& ends, const std::vector<int>& inherited) override {
    return start_program(command_,
                         {{ends.requests, STDIN_FILENO},
                          {ends.noise, STDOUT_FILENO},
                          {ends.noise, STDERR_FILENO},
                          {ends.replies, kReplyDescriptor}},
                         inherited);
  }

 private:
  std::vector<std::string> command_;
};

}  // namespace

void fail_to_start(const std::string& what, int error) {
  throw Error(ErrorKind::kInternal,
              "a case's process: " + what + ": " + std::strerror(error) + "; try --isolate none");
}

pid_t start_program(const std::vector<std::string>& arguments,
                    const std::vector<std::pair<int, int>>& connections, const std::vector<int>& inherited) {
  SpawnSettings settings;
  for (const auto& [from, to] : connections) settings.connect(from, to);
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  for (const int descriptor : inherited) set_inheritable(descriptor, true);
  // A child begins with the peak of the process whose memory it shares until it executes its program.
  forget_peak_resident();
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, words.front(), &settings.actions, &settings.attributes, words.data(), environ);
  for (const int descriptor : inherited) set_inheritable(descriptor, false);
  if (error != 0) fail_to_start("'" + arguments.front() + "' cannot be started", error);
  return process;
}

std::unique_ptr<WorkerSource> executed_workers(std::vector<std::string> command) {
  return std::make_unique<ExecutedWorkers>(std::move(command));
}

}  // namespace gpubench
