#include "support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gpubench::test {
namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void redirect(int target, const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, target) < 0) _exit(126);
  close(file);
}

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& folder, const std::map<std::string, std::string>& environment) {
  if (chdir(folder.c_str()) != 0) _exit(126);
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

}  // namespace

StartedProcess::StartedProcess(const std::string& program, const std::vector<std::string>& arguments,
                               const std::string& folder,
                               const std::map<std::string, std::string>& environment, Group group)
    : program_(program), group_(group) {
  const std::string out = outputs_.path() / "out";
  const std::string err = outputs_.path() / "err";
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("cannot fork");
  if (child_ > 0) return;
  if (group_ == Group::kOwn) setpgid(0, 0);
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT);
  redirect(STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT);
  become(program, arguments, folder, environment);
}

StartedProcess::~StartedProcess() {
  if (!is_running()) return;
  send(SIGKILL);
  waitpid(child_, &status_, 0);
}

bool StartedProcess::is_running() {
  if (!is_reaped_) is_reaped_ = waitpid(child_, &status_, WNOHANG) == child_;
  return !is_reaped_;
}

void StartedProcess::send(int signal) const {
  if (!is_reaped_) kill(child_, signal);
}

void StartedProcess::kill_group() const {
  if (group_ == Group::kOwn) kill(-child_, SIGKILL);
}

std::string StartedProcess::err() const { return read_all(outputs_.path() / "err"); }

ProcessResult StartedProcess::wait() {
  if (!is_reaped_) is_reaped_ = waitpid(child_, &status_, 0) == child_;
  ProcessResult result{WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_),
                       read_all(outputs_.path() / "out"), err()};
  if (result.exit_code == 127) throw std::runtime_error("cannot start " + program_);
  return result;
}

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& folder, const std::map<std::string, std::string>& environment) {
  return StartedProcess(program, arguments, folder, environment).wait();
}

}  // namespace gpubench::test
