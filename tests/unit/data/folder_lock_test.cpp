#include "data/fetch/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <future>
#include <thread>

#include "files.h"
#include "support/temp_dir.h"

namespace gpubench::test::folder_lock_test {
namespace {

namespace fs = std::filesystem;

/// What somebody else does who holds the folder.
FileDescriptor held(const TempDir& dir, const std::string& signature) {
  FileDescriptor file(open(dir.file(".lock", signature).c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(flock(file.get(), LOCK_EX | LOCK_NB) == 0);
  return file;
}

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace

TEST_CASE("whoever holds a data folder and does nothing is named, and not waited for without end") {
  const TempDir dir;
  const FileDescriptor other = held(dir, "4711");
  const std::string message = catch_data_error([&] { locked_folder(dir.path(), Seconds{0.2}); });
  CHECK_THAT(message, contains_text((dir.path() / ".lock").string() + ": process 4711 holds it"));
}

TEST_CASE("whoever holds a data folder is waited for, and followed") {
  const TempDir dir;
  FileDescriptor other = held(dir, "");
  auto waiting = std::async(std::launch::async, [&] { return locked_folder(dir.path(), Seconds{20}); });
  for (int step = 0; step < 20; ++step) pause();
  other.reset();
  CHECK(waiting.get().is_open());
  CHECK(read_content(dir.path() / ".lock") == std::to_string(getpid()));
}

}  // namespace gpubench::test::folder_lock_test
