#include <csignal>
#include <exception>

#include "app/command_line.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

namespace {

using gpubench::ExitCode;

ExitCode report(const char* message, ExitCode code) {
  gpubench::say(message);
  return code;
}

ExitCode run(int argc, char** argv) {
  try {
    const ExitCode code = gpubench::parse_command_line({argv + 1, argv + argc})();
    if (gpubench::flush_output()) return code;
    return report("stdout: cannot be written (disk full or closed pipe?)", ExitCode::kUsage);
  } catch (const gpubench::Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::kInternal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  gpubench::occupy_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // A file that may not grow is an error of who writes it.
  return static_cast<int>(run(argc, argv));
}
