#include "gpubench/core/io/messages.h"

#include <fcntl.h>
#include <unistd.h>

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

TEST_CASE("the program prints only by functions that never throw") {
  CHECK(other_printers() == std::vector<std::string>{});
}

}  // namespace gpubench::test::messages_test
