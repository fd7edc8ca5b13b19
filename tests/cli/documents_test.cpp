// validate, merge, redact and --share, with the real binary.

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

using namespace gpubench::test;

using Json = nlohmann::json;

namespace {

const std::string kAlpha = fixtures_dir() + "/results/alpha-cpu.json";

Json read(const std::filesystem::path& path) { return Json::parse(std::ifstream(path)); }

}  // namespace

TEST_CASE("validate says ok for each file, and names each fault of others") {
  Gpubench gpubench;
  const std::string good = source_dir() + "/tests/golden/expected/run.json";
  auto result = gpubench.run({"validate", good, source_dir() + "/tests/golden/expected/ops.json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("run.json: ok\n"));
  CHECK_THAT(result.out, contains_text("ops.json: ok\n"));

  Json changed = read(good);
  changed["cases"][0]["median_epoch_seconds"] = 0.001;
  std::ofstream(gpubench.folder() / "changed.json") << changed;
  std::ofstream(gpubench.folder() / "torn.json") << "{";
  result = gpubench.run({"validate", good, "changed.json", "torn.json", "none.json"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, contains_text("run.json: ok\n"));
  CHECK_THAT(result.out, contains_text("changed.json: cases[0].median_epoch_seconds: "));
  CHECK_THAT(result.out, contains_text("changed.json: content_sha256: "));
  CHECK_THAT(result.out, contains_text("torn.json: not JSON"));
  CHECK_THAT(result.out, contains_text("none.json: cannot be read"));
}

TEST_CASE("a document of another version is refused by every reader, in a line that says what to do") {
  using Command = std::vector<std::string>;
  Gpubench gpubench;
  const auto refuse = [&](const std::string& fixture, const std::vector<Command>& readers) {
    Json document = read(fixtures_dir() + "/results/" + fixture);
    const int known = document.at("schema_version");
    for (const int version : {known - 1, known + 1}) {
      document["schema_version"] = version;
      std::ofstream(gpubench.folder() / "other.json") << document;
      const std::string refusal = "other.json: schema_version: found " + std::to_string(version) +
                                  ", but this gpubench reads " + std::to_string(known) +
                                  " only; use the gpubench that wrote the file, or measure again\n";
      for (const Command& reader : readers) {
        INFO(reader.front() << ", version " << version);
        const auto result = gpubench.run(reader);
        CHECK(result.exit_code == 3);
        const std::string said = result.out + result.err;
        CHECK(said.substr(said.find("other.json")) == refusal);
      }
    }
  };
  refuse("alpha-cpu.json", {{"validate", "other.json"},
                            {"show", "other.json"},
                            {"redact", "other.json", "-o", "new.json"},
                            {"merge", "other.json", "-o", "new.json"},
                            {"compare", kAlpha, "other.json"},
                            {"report", "other.json", "-q", "-o", "new.html"}});
  refuse("operations.json", {{"validate", "other.json"},
                             {"show", "other.json"},
                             {"redact", "other.json", "-o", "new.json"},
                             {"compare", "other.json", "other.json"}});
}

TEST_CASE("merge puts the runs of one machine together and says of which files") {
  Gpubench gpubench;
  const auto merged = gpubench.run({"merge", kAlpha, kAlpha, "-o", "both.json"});
  CHECK(merged.exit_code == 0);
  const Json document = read(gpubench.folder() / "both.json");
  CHECK(document.at("cases").size() == 2 * read(kAlpha).at("cases").size());
  CHECK(document.at("tool").at("arguments") == Json({"merge", kAlpha, kAlpha, "-o", "both.json"}));
  CHECK(gpubench.run({"validate", "both.json"}).exit_code == 0);
  const auto refused =
      gpubench.run({"merge", kAlpha, fixtures_dir() + "/results/beta-cuda.json", "-o", "no.json"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.err, contains_text("environment.host"));
}

TEST_CASE("redact takes the host out of a file and says so") {
  Gpubench gpubench;
  const std::string host = read(kAlpha).at("environment").at("host");
  const auto redacted = gpubench.run({"redact", kAlpha, "-o", "shared.json"});
  CHECK(redacted.exit_code == 0);
  CHECK_THAT(redacted.err, contains_text("'" + host + "' is now 'host'"));
  CHECK(read(gpubench.folder() / "shared.json").at("environment").at("host") == "host");
  CHECK(gpubench.run({"validate", "shared.json"}).exit_code == 0);
}

TEST_CASE("a run with --share names the host neither in its result nor in the file's name") {
  Gpubench gpubench;
  const auto run = gpubench.run({"--model", "mlp", "--dataset", "fashion-mnist", "--device", "cpu", "--batch",
                                 "16", "--epochs", "2", "--share", "-q", "-o", "out/"});
  CHECK(run.exit_code == 0);
  std::vector<std::filesystem::path> results;
  for (const auto& entry : std::filesystem::directory_iterator(gpubench.folder() / "out")) {
    if (entry.path().extension() == ".json") results.push_back(entry.path());
  }
  REQUIRE(results.size() == 1);
  CHECK_THAT(results[0].filename().string(), contains_text("-shared-cpu.json"));
  CHECK(read(results[0]).at("environment").at("host") == "host");
}

TEST_CASE("help of the commands for result files has an example") {
  Gpubench gpubench;
  for (const std::string command : {"validate", "merge", "redact"}) {
    CHECK_THAT(gpubench.run({command, "--help"}).out, contains_text("Example:\n  gpubench " + command));
    CHECK(gpubench.run({command}).exit_code == 2);
  }
}
