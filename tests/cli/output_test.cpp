// Where documents, tables and messages go when the place is no usual file, is full, or goes away.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "gpubench/core/io/files.h"
#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/terminal.h"

using namespace gpubench::test;

namespace {

const std::string kAlpha = fixtures_dir() + "/results/alpha-cpu.json";

/// A run of the stand-in, as words of a shell's command line.
std::string shell_run() {
  std::string words = "\"$0\"";
  for (const std::string& word : Supervision::arguments()) words += " " + word;
  return words;
}

bool lacks_full_device() {
  if (std::filesystem::exists("/dev/full")) return false;
  WARN("skipped: this system has no /dev/full");
  return true;
}

}  // namespace

TEST_CASE("a document for what is open already goes there, as with -o /dev/stdout") {
  const Gpubench gpubench;
  // A link of the test's own: that of the system is not to be lost where this goes wrong.
  std::filesystem::create_symlink("/dev/fd/1", gpubench.folder() / "out");
  const auto result = gpubench.run_shell("\"$0\" redact " + kAlpha + " -o out | cat");
  INFO(result.err);
  CHECK(result.out == gpubench.run({"redact", kAlpha}).out);
  CHECK(std::filesystem::is_symlink(gpubench.folder() / "out"));
}

TEST_CASE("a run into a pipe sends one document and keeps no journal") {
  const Supervision supervision;
  const auto folder = supervision.gpubench().folder();
  REQUIRE(mkfifo((folder / "run.json").c_str(), 0600) == 0);
  const auto result = supervision.gpubench().run_shell("cat run.json > read & " + shell_run() + "; wait");
  INFO(result.err);
  CHECK(std::filesystem::is_fifo(folder / "run.json"));
  CHECK_FALSE(std::filesystem::exists(supervision.journal_path()));
  check_all_ok(Json::parse(text_of(folder / "read")));
}

TEST_CASE("what stdout does not take is an error of one line, whichever command printed it") {
  if (lacks_full_device()) return;
  const Gpubench gpubench;
  for (const std::string& command :
       {"show " + kAlpha, "show --format csv " + kAlpha, "redact " + kAlpha,
        "merge -o - " + kAlpha + " " + kAlpha, std::string("list models"), std::string("suite list"),
        std::string("--help"), "validate " + kAlpha}) {
    INFO(command);
    const auto result = gpubench.run_shell("\"$0\" " + command + " > /dev/full");
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text("gpubench: stdout: cannot be written"));
  }
}

TEST_CASE("a run whose table and messages are lost has its result all the same") {
  for (const std::string& places : {std::string("> /dev/full 2> /dev/full"), std::string(">&- 2>&-")}) {
    if (places.find("full") != std::string::npos && lacks_full_device()) continue;
    INFO(places);
    const Supervision supervision;
    CHECK(supervision.gpubench().run_shell(shell_run() + places).exit_code == 2);
    check_all_ok(supervision.document());
    CHECK(supervision.count("finished") == 6);
  }
}

TEST_CASE("a run whose terminal goes away goes on") {
  const Supervision supervision("--epoch-ms 200");
  Terminal terminal;
  StartedProcess process = supervision.gpubench().start_shell(shell_run() + " 2> " + terminal.name());
  REQUIRE(wait_until([&] { return terminal.text().find("epoch") != std::string::npos; }));
  terminal.close();
  CHECK(process.wait().exit_code == 0);
  check_all_ok(supervision.document());
}

TEST_CASE("a password in --base-url is neither printed nor stored, and --resume asks for it") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker());
  gpubench.set("GPUBENCH_BASE_URL", "");
  const std::string url = "http://alice:secret@127.0.0.1:1";
  const auto result = gpubench.run({"--model", "mlp", "--device", "cpu", "--limit", "4", "--data-dir", "data",
                                    "--base-url", url, "-o", "run.json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains_text("http://***@127.0.0.1:1/"));
  for (const std::string& text : {result.out, result.err, text_of(gpubench.folder() / "run.json"),
                                  text_of(gpubench.folder() / "run.journal.jsonl")}) {
    CHECK_FALSE(text.empty());
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("alice") == std::string::npos);
  }
  const auto refused = gpubench.run({"--resume", "run.json"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             contains_text("the password of its --base-url was not stored; give --base-url once more"));
  CHECK(gpubench.run({"--resume", "run.json", "--base-url", url}).exit_code == 0);
  CHECK(gpubench.run({"--resume", "run.json", "--offline"}).exit_code == 0);
  const auto fetched = gpubench.run({"data", "fetch", "mnist", "--data-dir", "data", "--base-url", url});
  CHECK(fetched.exit_code == 3);
  CHECK(fetched.err.find("secret") == std::string::npos);
}
