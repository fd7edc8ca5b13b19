#include "gpubench/core/error.h"

#include "support/catch.h"

namespace gpubench::test::error_test {

TEST_CASE("every kind of error has the exit code that scripts rely on") {
  CHECK(static_cast<int>(exit_code(ErrorKind::kInternal)) == 1);
  CHECK(static_cast<int>(exit_code(ErrorKind::kUsage)) == 2);
  CHECK(static_cast<int>(exit_code(ErrorKind::kData)) == 3);
  CHECK(static_cast<int>(exit_code(ErrorKind::kDevice)) == 4);
}

TEST_CASE("success and every outcome without an error have exit codes of their own") {
  CHECK(static_cast<int>(ExitCode::kOk) == 0);
  CHECK(static_cast<int>(ExitCode::kCaseFailed) == 5);
  CHECK(static_cast<int>(ExitCode::kRegression) == 6);
  CHECK(static_cast<int>(ExitCode::kInconclusive) == 7);
  CHECK(static_cast<int>(ExitCode::kIncomparable) == 8);
  CHECK(static_cast<int>(ExitCode::kInterrupted) == 130);
}

}  // namespace gpubench::test::error_test
