#include "gpubench/core/io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::files_test {
using gpubench::test::TempDir;

namespace {

namespace fs = std::filesystem;

std::string read_content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t files_in(const fs::path& folder) {
  const fs::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

/// A FIFO with a non-blocking reader, so that writers do not wait for a reader.
struct Fifo {
  explicit Fifo(const fs::path& path) {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    reader.reset(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    REQUIRE(reader.is_open());
  }
  FileDescriptor reader;
};

}  // namespace

TEST_CASE("a written file is complete and leaves no other files") {
  const TempDir dir;
  const fs::path path = dir.path() / "file";
  CHECK_FALSE(write_file(path, "first and long"));
  CHECK_FALSE(write_file(path, "second"));
  CHECK(read_content(path) == "second");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("if filling a draft fails, the old file stays and the draft is removed") {
  const TempDir dir;
  const fs::path path = dir.file("file", "former");
  const auto error = replace_file(path, [](int descriptor, const fs::path&) {
    write_all(descriptor, std::string_view("half of it"));
    errno = ENOSPC;
    return false;
  });
  CHECK(error == std::errc::no_space_on_device);
  CHECK(read_content(path) == "former");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("a draft never replaces or follows an existing file or link") {
  const TempDir dir;
  const fs::path victim = dir.file("victim", "precious");
  const fs::path path = dir.path() / "file";
  fs::create_symlink(victim, path.string() + "." + std::to_string(getpid()) + "-0.part");
  CHECK_FALSE(write_file(path, "text"));
  CHECK(read_content(victim) == "precious");
  CHECK(read_content(path) == "text");
}

TEST_CASE("links are followed and kept, and the draft is created beside their target") {
  const TempDir dir;
  const fs::path target = dir.file("elsewhere/target", "former");
  const fs::path link = dir.path() / "link";
  fs::create_symlink("elsewhere/target", dir.path() / "inner");
  fs::create_symlink(dir.path() / "inner", link);
  CHECK_FALSE(is_stream(link));
  CHECK_FALSE(write_file(link, "text"));
  CHECK(fs::is_symlink(link));
  CHECK(read_content(target) == "text");
  CHECK(files_in(dir.path() / "elsewhere") == 1);

  fs::remove(target);
  CHECK_FALSE(write_file(link, "again"));
  CHECK(read_content(target) == "again");

  fs::create_symlink("round", dir.path() / "round");
  CHECK(write_file(dir.path() / "round", "text") == std::errc::too_many_symbolic_link_levels);
  CHECK(check_writable(dir.path() / "round") == std::errc::too_many_symbolic_link_levels);
}

TEST_CASE("files are synced, and a descriptor without a disk is not an error") {
  const TempDir dir;
  const FileDescriptor file(open((dir.path() / "file").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  CHECK(sync_file(file.get()));
  const Fifo fifo(dir.path() / "pipe");
  CHECK(sync_file(fifo.reader.get()));
  CHECK_FALSE(sync_file(-1));
}

}  // namespace gpubench::test::files_test
