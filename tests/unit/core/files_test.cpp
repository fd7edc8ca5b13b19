#include "gpubench/core/io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "support/catch.h"
#include "support/temp_dir.h"

using namespace gpubench;
using gpubench::test::TempDir;

namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t files_in(const fs::path& folder) {
  const fs::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

/// What has come so far, without waiting.
std::string read_pipe(int descriptor) {
  std::array<char, 100> text{};
  const ssize_t count = read(descriptor, text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

/// A FIFO with a reader that does not wait for a writer, so that no writer waits for it.
struct Fifo {
  explicit Fifo(const fs::path& path) {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    reader.reset(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    REQUIRE(reader.is_open());
  }
  FileDescriptor reader;
};

}  // namespace

TEST_CASE("a file that is written is there as a whole, and nothing else is") {
  const TempDir dir;
  const fs::path path = dir.path() / "file";
  CHECK_FALSE(write_file(path, "first and long"));
  CHECK_FALSE(write_file(path, "second"));
  CHECK(content_of(path) == "second");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("where filling a draft fails, the former file stays and the draft does not") {
  const TempDir dir;
  const fs::path path = dir.file("file", "former");
  const auto error = replace_file(path, [](int descriptor, const fs::path&) {
    write_all(descriptor, std::string_view("half of it"));
    errno = ENOSPC;
    return false;
  });
  CHECK(error == std::errc::no_space_on_device);
  CHECK(content_of(path) == "former");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("a draft is never a file or link that was there before") {
  const TempDir dir;
  const fs::path victim = dir.file("victim", "precious");
  const fs::path path = dir.path() / "file";
  fs::create_symlink(victim, path.string() + "." + std::to_string(getpid()) + "-0.part");
  CHECK_FALSE(write_file(path, "text"));
  CHECK(content_of(victim) == "precious");
  CHECK(content_of(path) == "text");
}

TEST_CASE("links are followed and stay, and the draft lies beside what they lead to") {
  const TempDir dir;
  const fs::path target = dir.file("elsewhere/target", "former");
  const fs::path link = dir.path() / "link";
  fs::create_symlink("elsewhere/target", dir.path() / "inner");
  fs::create_symlink(dir.path() / "inner", link);
  CHECK_FALSE(is_stream(link));
  CHECK_FALSE(write_file(link, "text"));
  CHECK(fs::is_symlink(link));
  CHECK(content_of(target) == "text");
  CHECK(files_in(dir.path() / "elsewhere") == 1);

  fs::remove(target);
  CHECK_FALSE(write_file(link, "anew"));
  CHECK(content_of(target) == "anew");

  fs::create_symlink("round", dir.path() / "round");
  CHECK(write_file(dir.path() / "round", "text") == std::errc::too_many_symbolic_link_levels);
  CHECK(check_writable(dir.path() / "round") == std::errc::too_many_symbolic_link_levels);
}

TEST_CASE("a pipe is written in place, also behind a link") {
  const TempDir dir;
  const fs::path path = dir.path() / "pipe";
  const Fifo fifo(path);
  fs::create_symlink(path, dir.path() / "link");
  for (const fs::path& name : {path, dir.path() / "link"}) {
    CHECK(is_stream(name));
    CHECK_FALSE(check_writable(name));
    CHECK_FALSE(write_file(name, "text"));
    CHECK(read_pipe(fifo.reader.get()) == "text");
  }
  CHECK(fs::is_fifo(path));
  CHECK(fs::is_symlink(dir.path() / "link"));
}

TEST_CASE("a device is written in place") {
  const TempDir dir;
  const fs::path path = dir.path() / "null";
  struct stat null {};
  REQUIRE(stat("/dev/null", &null) == 0);
  if (mknod(path.c_str(), S_IFCHR | 0600, null.st_rdev) != 0 ||
      !FileDescriptor(open(path.c_str(), O_WRONLY)).is_open()) {
    WARN("skipped: no device can be made and used here");
    return;
  }
  CHECK(is_stream(path));
  CHECK_FALSE(check_writable(path));
  CHECK_FALSE(write_file(path, "text"));
  CHECK(fs::is_character_file(path));
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("what is open already, as /dev/stdout is, gets the text at its end") {
  const TempDir dir;
  const fs::path log = dir.file("log", "before\n");
  const FileDescriptor open_log(open(log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const fs::path link = dir.path() / "link";
  fs::create_symlink("/dev/fd/" + std::to_string(open_log.get()), link);
  CHECK(is_stream(link));
  CHECK_FALSE(check_writable(link));
  CHECK_FALSE(write_file(link, "text\n"));
  CHECK(write_all(open_log.get(), std::string_view("after\n")));
  CHECK(content_of(log) == "before\ntext\nafter\n");
  CHECK(files_in(dir.path()) == 2);
}

TEST_CASE("whether a file can be written is found out without a change") {
  const TempDir dir;
  CHECK_FALSE(check_writable(dir.path() / "new"));
  CHECK(check_writable(dir.path() / "missing" / "new") == std::errc::no_such_file_or_directory);
  CHECK(files_in(dir.path()) == 0);
}

TEST_CASE("what was written to a file is synced, and what has no disk is no error") {
  const TempDir dir;
  const FileDescriptor file(open((dir.path() / "file").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  CHECK(sync_file(file.get()));
  const Fifo fifo(dir.path() / "pipe");
  CHECK(sync_file(fifo.reader.get()));
  CHECK_FALSE(sync_file(-1));
}
