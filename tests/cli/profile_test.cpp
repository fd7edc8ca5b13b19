// `gpubench --profile`, with the real binary.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/schema.h"

namespace gpubench::test::profile_test {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> arguments{"--model",       "mlp", "--dataset", "synthetic",
                                     "--max-samples", "512", "--epochs",  "2",
                                     "--device",      "cpu", "-o",        "run.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Json make_document(const Gpubench& gpubench) {
  return Json::parse(std::ifstream(gpubench.folder() / "run.json"));
}

}  // namespace

TEST_CASE("--profile reports the parts of a step's time in the file and below the table") {
  Gpubench gpubench;
  const auto result = gpubench.run(with({"--profile=traces"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("step of "));
  CHECK_THAT(result.out, contains_text("matrix product "));
  CHECK_THAT(result.err, !contains_text("ERROR"));  // Kineto's log is disabled.

  const Json document = make_document(gpubench);
  CHECK(schema_errors(document).empty());
  const Json& row = document["results"][0];
  CHECK(row["status"] == "ok");
  CHECK(row["samples"]["epoch_seconds"].size() == 2);
  for (const char* phase : {"input", "forward", "backward", "optimizer", "other"}) {
    INFO(phase);
    CHECK(row["facts"]["profile_phase_seconds"].contains(phase));
  }
  CHECK(row["facts"]["profile_layer_seconds"].contains("matrix product"));

  std::vector<fs::path> traces;
  for (const auto& entry : fs::directory_iterator(gpubench.folder() / "traces"))
    traces.push_back(entry.path());
  REQUIRE(traces.size() == 1);
  CHECK(Json::parse(std::ifstream(traces[0])).at("traceEvents").size() > 100);
}

TEST_CASE("an invalid trace folder is a warning of the case") {
  Gpubench gpubench;
  std::ofstream(gpubench.folder() / "file") << "not a folder";
  const auto result = gpubench.run(with({"--profile=file"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json document = make_document(gpubench);
  const Json& row = document["results"][0];
  CHECK(row["status"] == "ok");
  CHECK_FALSE(row["facts"]["profile_phase_seconds"].is_null());
  CHECK_THAT(row["warnings"].dump(), contains_text("no trace in file/"));
}

}  // namespace gpubench::test::profile_test
