#include <cstdio>
#include <exception>

#include "app/command_line.h"
#include "gpubench/core/error.h"

namespace {

using gpubench::ExitCode;

ExitCode report(const char* message, ExitCode code) {
  std::fprintf(stderr, "gpubench: %s\n", message);
  return code;
}

ExitCode run(int argc, char** argv) {
  try {
    const ExitCode code = gpubench::parse_command_line({argv + 1, argv + argc})();
    if (std::fflush(stdout) == 0) return code;
    return report("stdout: cannot be written (disk full or closed pipe?)", ExitCode::kUsage);
  } catch (const gpubench::Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::kInternal);
  }
}

}  // namespace

int main(int argc, char** argv) { return static_cast<int>(run(argc, argv)); }
