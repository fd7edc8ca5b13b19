#include "data/fetch/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <future>
#include <thread>

#include "files.h"
#include "support/temp_dir.h"

namespace gpubench::test {
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
  const std::string message = data_error_of([&] { locked_folder(dir.path(), Seconds{0.2}); });
  CHECK_THAT(message, contains_text((dir.path() / ".lock").string() + ": process 4711 holds it"));
}

TEST_CASE("whoever holds a data folder is waited for, and followed") {
  const TempDir dir;
  FileDescriptor other = held(dir, "");
  auto waiting = std::async(std::launch::async, [&] { return locked_folder(dir.path(), Seconds{20}); });
  for (int step = 0; step < 20; ++step) pause();
  other.reset();
  CHECK(waiting.get().is_open());
  CHECK(content_of(dir.path() / ".lock") == std::to_string(getpid()));
}

TEST_CASE("a lock that is a link or a pipe is refused, and what it leads to stays as it is") {
  const TempDir dir;
  const fs::path victim = dir.file("victim", "precious");
  const fs::path linked = dir.path() / "linked";
  fs::create_directories(linked);
  fs::create_symlink(victim, linked / ".lock");
  CHECK_THAT(data_error_of([&] { locked_folder(linked); }), contains_text("cannot write to"));
  CHECK(content_of(victim) == "precious");

  const fs::path piped = dir.path() / "piped";
  fs::create_directories(piped);
  REQUIRE(mkfifo((piped / ".lock").c_str(), 0600) == 0);
  CHECK_THAT(data_error_of([&] { locked_folder(piped); }), contains_text(".lock is no regular file"));
}

}  // namespace gpubench::test
