// `gpubench selftest`, with the real binary.

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/schema.h"

namespace gpubench::test::selftest_test {

namespace {

using Json = nlohmann::json;

std::vector<std::string> on_cpu(std::vector<std::string> more) {
  more.insert(more.begin(), {"selftest", "--device", "cpu", "--threads", "1"});
  return more;
}

}  // namespace

TEST_CASE("selftest prints a table and writes a valid document", "[seam]") {
  const Gpubench gpubench;
  const auto result = gpubench.run(on_cpu({"--only", "seeds,graphs", "-o", "selftest.json"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("seeds"));
  CHECK_THAT(result.out, contains_text("cannot be checked: graphs need an NVIDIA"));
  CHECK_THAT(result.out, contains_text("0 failed"));
  CHECK_THAT(result.err, contains_text("result in selftest.json"));

  const Json document = Json::parse(std::ifstream(gpubench.folder() / "selftest.json"));
  CHECK(schema_errors(document) == std::vector<std::string>());
  CHECK(document["environment"]["devices"][0]["name"] == "cpu");
  CHECK(document["results"].size() == 3);
  CHECK(document["results"].back()["asked"]["check"] == "graphs");
  CHECK(gpubench.run({"file", "validate", "selftest.json"}).exit_code == 0);
  CHECK(gpubench.run({"file", "anonymize", "selftest.json", "-o", "shared.json"}).exit_code == 0);
  CHECK(gpubench.run({"file", "validate", "shared.json"}).exit_code == 0);
}

TEST_CASE("selftest reports unknown options and missing devices") {
  const Gpubench gpubench;
  const auto unknown = gpubench.run(on_cpu({"--only", "loses"}));
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, contains_text("--only: unknown check 'loses'"));
  CHECK_THAT(unknown.err, contains_text("losses"));
  CHECK(gpubench.run({"selftest", "--device", "cuda:99"}).exit_code == 4);
  CHECK(gpubench.run(on_cpu({"--meter", "nonsense"})).exit_code == 2);
  CHECK_THAT(gpubench.run({"selftest", "--help"}).out, contains_text("--only"));
}

TEST_CASE("a check that crashes is a failed row, and the next check runs", "[seam]") {
  Gpubench gpubench;
  const auto script = gpubench.folder() / "crash.sh";
  std::ofstream(script)
      << "echo the driver is gone >&2\ncase \"$*\" in *seeds*) kill -SEGV $$;; esac\nexec \"$@\"\n";
  gpubench.set("GPUBENCH_WORKER_PREFIX", "/bin/sh " + script.string());
  const auto result = gpubench.run(on_cpu({"--only", "seeds,graphs", "-o", "-"}));
  INFO(result.err);
  CHECK(result.exit_code == 5);
  const Json document = Json::parse(result.out);
  CHECK(schema_errors(document) == std::vector<std::string>());
  REQUIRE(document["results"].size() == 2);
  CHECK(document["results"][0]["status"] == "fail");
  CHECK(document["results"][0]["message"] == "the process was killed by signal 11: the driver is gone");
  CHECK(document["results"][1]["status"] == "unchecked");
}

TEST_CASE("doctor explains how to anonymize a selftest for a bug report") {
  CHECK_THAT(Gpubench().run({"doctor"}).out, contains_text("gpubench file anonymize selftest.json"));
}

}  // namespace gpubench::test::selftest_test
