#include <sys/resource.h>
#include <atomic>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "app/command_line.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

namespace {

using gpubench::ExitCode;

ExitCode report(std::string_view message, ExitCode code) {
  gpubench::log_info(message);
  return code;
}

ExitCode report_out_of_memory() {
  // Formatting would need memory.
  gpubench::draw_status("gpubench: out of memory; close other programs, or reduce the workload\n");
  return ExitCode::kUsage;
}

/// Prints the exception that is being handled.
ExitCode report_exception() {
  try {
    throw;
  } catch (const gpubench::Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return report_out_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    return report(error.path1().string() + ": " + error.code().message(), ExitCode::kUsage);
  } catch (const std::system_error& error) {
    return report(
        "system error: " + error.code().message() + "; close other programs, or reduce the workload",
        ExitCode::kUsage);
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::kInternal);
  }
}

/// True after a failed allocation: the exception that ends the program may be lost.
std::atomic<bool>& was_refused_memory() {
  static std::atomic<bool> was_refused = false;
  return was_refused;
}

void note_refusal() {
  was_refused_memory() = true;
  throw std::bad_alloc();
}

/// Exits without cleanup: the store has all rows, and workers exit at the end of their input.
[[noreturn]] void end_at_once() noexcept {
  ExitCode code = ExitCode::kInternal;
  if (std::current_exception())
    code = report_exception();
  else if (was_refused_memory())
    code = report_out_of_memory();
  else
    gpubench::draw_status("gpubench: internal error; please report it\n");
  std::_Exit(static_cast<int>(code));
}

/// Throws if the stack is small: an overflow would end the program without a message.
void require_stack() {
  constexpr rlim_t kLeast = rlim_t{256} << 10;
  rlimit limit{};
  const bool is_short = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kLeast;
  gpubench::require(!is_short, "stack limit: {} KiB is too small; set at least {} KiB with 'ulimit -s'",
                    limit.rlim_cur >> 10, kLeast >> 10);
}

ExitCode run(int argc, char** argv) {
  try {
    require_stack();
    const ExitCode code = gpubench::parse_command_line({argv + 1, argv + argc})();
    if (gpubench::flush_output()) return code;
    return report("stdout: cannot be written (disk full or closed pipe?)", ExitCode::kUsage);
  } catch (...) {
    return report_exception();
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(note_refusal);
  std::set_terminate(end_at_once);
  gpubench::open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // Makes writes beyond the file size limit fail with an error.
  return static_cast<int>(run(argc, argv));
}
