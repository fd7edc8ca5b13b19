#pragma once
// The exception of all parts, and the exit codes it leads to.

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace gpubench {

/// Fixed exit codes of the program, for scripts.
enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,
  kUsage = 2,
  kData = 3,
  kDevice = 4,
  kCaseFailed = 5,     ///< Everything ran, but at least one case has a status other than `ok`.
  kRegression = 6,     ///< `compare --gate`: a case is slower beyond the threshold, or does not run any more.
  kInconclusive = 7,   ///< `compare --gate`: more repetitions would tell.
  kIncomparable = 8,   ///< `compare --gate`: a case is missing, or its figures are of other work.
  kInterrupted = 130,  ///< The user ended the run; what was measured is in the result.
};

/// Decides the exit code.
enum class ErrorKind {
  kInternal,  ///< A fault of gpubench itself or of a library: please report.
  kUsage,     ///< An option or argument, an output that cannot be written included.
  kData,      ///< A dataset file or its download.
  kDevice,    ///< A device that is absent or does not answer.
};

constexpr ExitCode exit_code(ErrorKind kind) {
  constexpr ExitCode kCodes[] = {ExitCode::kInternal, ExitCode::kUsage, ExitCode::kData, ExitCode::kDevice};
  return kCodes[static_cast<int>(kind)];
}

/// One sentence in lower case that names the option or file, what is wrong and the remedy.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  template <class First, class... More>
  Error(ErrorKind kind, fmt::format_string<First, More...> text, First&& first, More&&... more)
      : Error(kind, fmt::format(text, std::forward<First>(first), std::forward<More>(more)...)) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Throws a usage Error of this text unless `is_fine`.
template <class... Args>
void require(bool is_fine, fmt::format_string<Args...> text, Args&&... args) {
  if (!is_fine) throw Error(ErrorKind::kUsage, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gpubench
