#include "engine/isolation/worker_source.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cstring>

#include "device/host/host_process.h"
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

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

/// Those that keep their numbers.
void set_inheritable(const Placements& placements, bool is_inheritable) {
  for (const auto& [from, to] : placements) {
    if (from == to) fcntl(from, F_SETFD, is_inheritable ? 0 : FD_CLOEXEC);
  }
}

class ExecutedWorkers : public WorkerSource {
 public:
  explicit ExecutedWorkers(std::vector<std::string> command) : command_(std::move(command)) {}

  pid_t start(const Placements& placements) override { return start_program(command_, placements); }

 private:
  std::vector<std::string> command_;
};

}  // namespace

void fail_to_start(const std::string& what, int error) {
  throw Error(ErrorKind::kInternal,
              "a case's process: " + what + ": " + std::strerror(error) + "; try --isolate none");
}

pid_t start_program(const std::vector<std::string>& arguments, const Placements& placements) {
  SpawnSettings settings;
  for (const auto& [from, to] : placements) {
    if (from != to) posix_spawn_file_actions_adddup2(&settings.actions, from, to);
  }
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  set_inheritable(placements, true);
  // A child begins with the peak of the process whose memory it shares until it executes its program.
  forget_peak_resident();
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, words.front(), &settings.actions, &settings.attributes, words.data(), environ);
  set_inheritable(placements, false);
  if (error != 0) fail_to_start("'" + arguments.front() + "' cannot be started", error);
  return process;
}

std::unique_ptr<WorkerSource> executed_workers(std::vector<std::string> command) {
  return std::make_unique<ExecutedWorkers>(std::move(command));
}

}  // namespace gpubench
