#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "support/catch.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"

namespace gpubench::test::host_process_test {
namespace {

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool kCanBeTuned = true;
#else
constexpr bool kCanBeTuned = false;  // Another malloc replaces glibc's.
#endif

/// Returns the result of `holds` in a child process, since changes to the allocator are permanent.
template <class Predicate>
bool holds_in_child(Predicate holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("the allocator is reported as tuned only after tuning") {
  CHECK(holds_in_child([] { return allocator_name() == "system"; }));
  const std::string tuned = kCanBeTuned ? "tuned" : "system";
  CHECK(holds_in_child([&] {
    tune_allocator();
    tune_allocator();
    return allocator_name() == tuned && allocator_name() == tuned;
  }));
}

TEST_CASE("an invalid library image is refused and leaves no file") {
  const TempDir folder;
  const ScopedVariable temporary("TMPDIR", folder.path().string());
  const std::string_view text = "not a library";
  CHECK_THROWS_WITH(load_library(std::as_bytes(std::span(text)), "main"), contains_text("cannot be loaded"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("the resident set grows by the size of memory that is written") {
#ifdef __SANITIZE_THREAD__
  WARN("skipped: the thread sanitizer adds four times the memory");
  return;
#endif
  constexpr std::size_t kSize = std::size_t{64} << 20;
  const Bytes before = current_resident();
  CHECK(before.value > 0);
  const std::vector<char> block(kSize, 1);
  const Bytes growth = current_resident() - before;
  CHECK(growth.value >= static_cast<std::int64_t>(kSize) * 9 / 10);
  CHECK(growth.value < static_cast<std::int64_t>(kSize) * 2);
  CHECK(block.back() == 1);
}

}  // namespace gpubench::test::host_process_test
