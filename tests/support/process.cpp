#include "support/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/temp_dir.h"

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

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& folder, const std::map<std::string, std::string>& environment) {
  const TempDir outputs;
  const std::string out = outputs.path() / "out";
  const std::string err = outputs.path() / "err";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT);
    redirect(STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT);
    become(program, arguments, folder, environment);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ProcessResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_all(out),
                       read_all(err)};
  if (result.exit_code == 127) throw std::runtime_error("cannot start " + program);
  return result;
}

}  // namespace gpubench::test
