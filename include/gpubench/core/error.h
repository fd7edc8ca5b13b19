#pragma once
// Exception type of the project, and exit codes.

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace gpubench {

/// Exit codes of the program. Scripts rely on them.
enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,
  kUsage = 2,
  kData = 3,
  kDevice = 4,
  kCaseFailed = 5,     ///< The run finished, but at least one case has a status other than `ok`.
  kRegression = 6,     ///< `compare --gate`: a case is slower than the threshold allows, or no longer runs.
  kInconclusive = 7,   ///< `compare --gate`: more repeats are needed.
  kIncomparable = 8,   ///< `compare --gate`: a case is missing or does different work.
  kInterrupted = 130,  ///< The user stopped the run; the result has all finished cases.
};

/// Cause of an Error; determines the exit code.
enum class ErrorKind {
  kInternal,  ///< Bug in gpubench or a library.
  kUsage,     ///< Wrong option or argument, or an output that cannot be written.
  kData,      ///< Invalid file, or a failed download.
  kDevice,    ///< Missing or unresponsive device.
};

constexpr ExitCode exit_code(ErrorKind kind) {
  constexpr ExitCode kCodes[] = {ExitCode::kInternal, ExitCode::kUsage, ExitCode::kData, ExitCode::kDevice};
  return kCodes[static_cast<int>(kind)];
}

/// An error. The message is one lower-case sentence: option or file, what is wrong, what to do.
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

/// Throws a usage Error with this message unless `is_fine`.
template <class... Args>
void require(bool is_fine, fmt::format_string<Args...> text, Args&&... args) {
  if (!is_fine) throw Error(ErrorKind::kUsage, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gpubench
