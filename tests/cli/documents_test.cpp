// validate, migrate, merge, redact and --share, with the real binary.

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

using namespace gpubench::test;

using Json = nlohmann::json;

namespace {

const std::string kAlpha = fixtures_dir() + "/results/alpha-cpu.json";
const std::string kHostile = fixtures_dir() + "/results/hostile.json";

Json read(const std::filesystem::path& path) { return Json::parse(std::ifstream(path)); }

}  // namespace

TEST_CASE("validate says ok for each file, and names each fault of others") {
  Gpubench gpubench;
  const std::string good = source_dir() + "/tests/golden/expected/mixed.json";
  auto result = gpubench.run({"validate", good, kHostile});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("mixed.json: ok\n"));
  CHECK_THAT(result.out, contains_text("hostile.json: ok; it has no checksum"));

  Json changed = read(good);
  changed["cases"][0]["median_epoch_seconds"] = 0.001;
  std::ofstream(gpubench.folder() / "changed.json") << changed;
  std::ofstream(gpubench.folder() / "torn.json") << "{";
  result = gpubench.run({"validate", good, "changed.json", "torn.json", "none.json"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, contains_text("mixed.json: ok\n"));
  CHECK_THAT(result.out, contains_text("changed.json: cases[0].median_epoch_seconds: "));
  CHECK_THAT(result.out, contains_text("changed.json: content_sha256: "));
  CHECK_THAT(result.out, contains_text("torn.json: not JSON"));
  CHECK_THAT(result.out, contains_text("none.json: cannot be read"));
}

TEST_CASE("migrate makes a valid file of an old one, and leaves that as it is") {
  Gpubench gpubench;
  std::filesystem::copy_file(kHostile, gpubench.folder() / "old.json");
  CHECK(gpubench.run({"migrate", "old.json", "-o", "new.json"}).exit_code == 0);
  CHECK(read(gpubench.folder() / "old.json") == read(kHostile));
  CHECK(read(gpubench.folder() / "new.json").at("schema_version") == 3);
  CHECK(gpubench.run({"validate", "new.json"}).out == "new.json: ok\n");
  const auto again = gpubench.run({"migrate", "new.json"});
  CHECK_THAT(again.err, contains_text("there is nothing to do"));
  CHECK(Json::parse(again.out) == read(gpubench.folder() / "new.json"));
}

TEST_CASE("migrate takes a run of version 2, a table of operations and a peak too") {
  Gpubench gpubench;
  const std::string fixtures = fixtures_dir() + "/results/";
  const Json run = read(fixtures + "eventful-v2.json");
  const Json point{
      {"device", "cuda:0"}, {"kind", "copy"}, {"value", nullptr}, {"value_reason", "lost"}, {"unit", "B/s"}};
  std::ofstream(gpubench.folder() / "peak.json") << Json{{"schema_version", 2},
                                                         {"tool", run.at("tool")},
                                                         {"environment", run.at("environment")},
                                                         {"points", Json::array({point})}};
  const std::vector<std::pair<std::string, int>> files{
      {fixtures + "eventful-v2.json", 3}, {fixtures + "operations-v1.json", 2}, {"peak.json", 3}};
  for (const auto& [file, version] : files) {
    INFO(file);
    CHECK(gpubench.run({"migrate", file, "-o", "new.json", "--overwrite"}).exit_code == 0);
    CHECK(read(gpubench.folder() / "new.json").at("schema_version") == version);
    CHECK(gpubench.run({"validate", "new.json"}).out == "new.json: ok\n");
  }
  CHECK(read(gpubench.folder() / "new.json").at("points").at(0).at("absent") == Json{{"value", "lost"}});
}

TEST_CASE("migrate leaves a selftest as it is") {
  Gpubench gpubench;
  const Json selftest{{"schema_version", 1}, {"checks", Json::array()}};
  std::ofstream(gpubench.folder() / "selftest.json") << selftest;
  const auto result = gpubench.run({"migrate", "selftest.json"});
  CHECK_THAT(result.err, contains_text("there is nothing to do"));
  CHECK(Json::parse(result.out) == selftest);
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
  for (const std::string command : {"validate", "migrate", "merge", "redact"}) {
    CHECK_THAT(gpubench.run({command, "--help"}).out, contains_text("Example:\n  gpubench " + command));
    CHECK(gpubench.run({command}).exit_code == 2);
  }
}
