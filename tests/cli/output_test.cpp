// Output to pipes and full devices, and passwords in messages.

#include <sys/stat.h>

#include "gpubench/core/io/files.h"
#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::output_test {

namespace {

/// Returns the shell command of a run with stand-in workers.
std::string shell_run() {
  std::string words = "\"$0\"";
  for (const std::string& word : Supervision::arguments()) words += " " + word;
  return words;
}

}  // namespace

TEST_CASE("a run into a pipe writes one document and is not stored", "[seam]") {
  const Supervision supervision;
  const auto folder = supervision.gpubench().folder();
  REQUIRE(mkfifo((folder / "run.json").c_str(), 0600) == 0);
  const auto result = supervision.gpubench().run_shell("cat run.json > read & " + shell_run() + "; wait");
  INFO(result.err);
  CHECK(std::filesystem::is_fifo(folder / "run.json"));
  CHECK(supervision.stored().rows == 0);
  check_all_ok(Json::parse(to_text(folder / "read")));
}

TEST_CASE("a password in GPUBENCH_BASE_URL is neither printed nor stored") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker());
  gpubench.set("GPUBENCH_BASE_URL", "http://alice:secret@127.0.0.1:1");
  const auto result = gpubench.run(
      {"--model", "mlp", "--device", "cpu", "--max-samples", "4", "--data-dir", "data", "-o", "run.json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains_text("http://***@127.0.0.1:1/"));
  for (const std::string& text :
       {result.out, result.err, to_text(gpubench.folder() / "run.json"), to_text(gpubench.store())}) {
    CHECK_FALSE(text.empty());
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("alice") == std::string::npos);
  }
  CHECK(gpubench.run({"--resume", "run.json", "--data-dir", "data"}).exit_code == 0);
  const auto fetched = gpubench.run({"data", "fetch", "mnist", "--data-dir", "data"});
  CHECK(fetched.exit_code == 3);
  CHECK(fetched.err.find("secret") == std::string::npos);
}

}  // namespace gpubench::test::output_test
