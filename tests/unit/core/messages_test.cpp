#include "gpubench/core/io/messages.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include <fstream>
#include <sstream>

#include "gpubench/core/io/files.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/redirected.h"
#include "support/temp_dir.h"

namespace gpubench::test::messages_test {
using gpubench::test::Redirected;
using gpubench::test::TempDir;

namespace {

namespace fs = std::filesystem;

std::string read_content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Returns the files of the program that write to stdout or stderr directly.
std::vector<std::string> other_printers() {
  const fs::path root = test::source_dir();
  std::vector<std::string> found;
  for (const char* folder : {"src", "include", "models"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string ending = entry.path().extension().string();
      if ((ending != ".cpp" && ending != ".h") || entry.path().filename() == "messages.cpp") continue;
      const std::string text = read_content(entry.path());
      for (const char* call :
           {"fmt::print(", "printf(stderr", ", stderr)", ", stdout)", "std::cerr", "std::cout"}) {
        if (text.find(call) != std::string::npos) found.push_back(entry.path().string() + ": " + call);
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a message is one line, whatever its parts contain") {
  const TempDir dir;
  {
    const Redirected captured(STDERR_FILENO, dir.path() / "err", O_WRONLY | O_CREAT);
    log_info("a name \x1b[2J and\nmore from https://me:secret@host/path");
    draw_status("\r50 %");
  }
  CHECK(read_content(dir.path() / "err") ==
        "gpubench: a name ?[2J and more from https://***@host/path\n\r50 %");
}

TEST_CASE("only user names and passwords in URLs are hidden") {
  CHECK(without_passwords("--from=https://me:a@b@host:8080/x@y") == "--from=https://***@host:8080/x@y");
  CHECK(without_passwords("http://me@host") == "http://***@host");
  CHECK(without_passwords("http://a:b@one http://c:d@two") == "http://***@one http://***@two");
  for (const char* harmless :
       {"", "https://host/@scope/x", "mail me@host", "http://", "://@", "--model mlp"}) {
    CHECK(without_passwords(harmless) == harmless);
  }
  CHECK_THAT(without_passwords("http://me@host"), gpubench::test::contains_text("://***@"));
}

TEST_CASE("text is as wide as the terminal, or as COLUMNS says elsewhere") {
  const TempDir dir;
  const auto width = [&](const std::string& path, const char* columns) {
    columns == nullptr ? unsetenv("COLUMNS") : setenv("COLUMNS", columns, 1);
    const Redirected captured(STDOUT_FILENO, path, O_RDWR | O_CREAT | O_NOCTTY);
    const std::size_t found = output_width();
    unsetenv("COLUMNS");
    return found;
  };
  const std::string file = dir.path() / "out";
  CHECK(width(file, nullptr) == 80);
  CHECK(width(file, "132") == 132);
  CHECK(width(file, "10") == 60);
  CHECK(width(file, "100000") == 200);
  CHECK(width(file, "-1") == 80);
  CHECK(width(file, "wide") == 80);

  const FileDescriptor master(posix_openpt(O_RDWR | O_NOCTTY));
  REQUIRE(grantpt(master.get()) == 0);
  REQUIRE(unlockpt(master.get()) == 0);
  const std::string terminal = ptsname(master.get());
  CHECK(width(terminal, nullptr) == 80);  // The terminal does not know its size.
  const FileDescriptor slave(open(terminal.c_str(), O_RDWR | O_NOCTTY));
  winsize size{};
  size.ws_col = 120;
  REQUIRE(ioctl(slave.get(), TIOCSWINSZ, &size) == 0);
  CHECK(width(terminal, nullptr) == 120);
  CHECK(width(terminal, "90") == 120);
}

TEST_CASE("the program prints only by functions that never throw") {
  CHECK(other_printers() == std::vector<std::string>{});
}

}  // namespace gpubench::test::messages_test
