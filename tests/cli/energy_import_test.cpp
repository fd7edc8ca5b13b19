// `gpubench file import-power`, with the real binary.

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "power/log/power_log.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"
#include "timed_result.h"

namespace gpubench::test::energy_import_test {

namespace {

const std::string kPower = fixtures_dir() + "/power/";

bool is_valid(const Gpubench& gpubench, const std::string& file) {
  const Json document = read_json(gpubench.folder() / file);
  for (const std::string& error : schema_errors(document)) UNSCOPED_INFO(error);
  const auto validated = gpubench.run({"file", "validate", file});
  UNSCOPED_INFO(validated.out);
  return schema_errors(document).empty() && validated.out == file + ": ok\n";
}

}  // namespace

TEST_CASE("a log of nvidia-smi adds energy to the cases that it covers") {
  Gpubench gpubench;
  write_result(gpubench, {"2023-12-17T17:49:17.500Z", "2023-12-17T19:49:17.500Z", ""});
  const auto result = gpubench.run({"file", "import-power", "result.json", kPower + "nvidia-smi-exact.csv",
                                    "--time-zone", "+01:00", "-o", "new.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, contains_text("energy for 1 of 3 cases"));
  CHECK_THAT(result.err, contains_text("time stamps without a zone were read as UTC+01:00"));
  REQUIRE(is_valid(gpubench, "new.json"));
  const Json cases = read_json(gpubench.folder() / "new.json").at("results");
  REQUIRE(cases[0].at("energy").size() == 1);
  const Json energy = cases[0].at("energy")[0];
  CHECK(energy.at("meter") == "nvidia-smi");
  CHECK(energy.at("scope") == "gpu-board");
  CHECK(energy.at("method") == "trapezoid");
  CHECK(energy.at("device") == cases[0].at("asked").at("device"));
  CHECK(energy.at("energy_joules").get<double>() == approx(980.776848958333 + 920.3475));
  CHECK(energy.at("window_seconds") == 8.25);
  CHECK(cases[0]["facts"].value("energy_note", "") == "");
  CHECK(cases[1].at("energy").empty());
  CHECK(cases[2].at("energy").empty());
}

TEST_CASE("a second import replaces the first one; without -o the document goes to stdout") {
  Gpubench gpubench;
  write_result(gpubench, {"2023-12-17T17:49:20.000Z"});
  const std::string log = kPower + "nvidia-smi-exact.csv";
  REQUIRE(
      gpubench.run({"file", "import-power", "result.json", log, "--time-zone", "+01:00", "-o", "one.json"})
          .exit_code == 0);
  const auto again =
      gpubench.run({"file", "import-power", "one.json", log, "--time-zone", "Z", "--clock-offset",
                    "-59m57.5s", "--energy-method", "spike-q30", "--scope", "system", "--device", "cpu"});
  INFO(again.err);
  CHECK(again.exit_code == 0);
  const Json energy = Json::parse(again.out).at("results")[0].at("energy");
  REQUIRE(energy.size() == 1);
  CHECK(energy[0].at("method") == "spike-q30");
  CHECK(energy[0].at("scope") == "system");
  CHECK(energy[0].at("device") == "cpu");
}

TEST_CASE("logs of powermetrics and of gpubench can be imported") {
  Gpubench gpubench;
  write_result(gpubench, {"2023-12-17T11:56:30.000Z"}, "mps");
  const auto mac = gpubench.run({"file", "import-power", "result.json", kPower + "powermetrics-exact.txt",
                                 "--clock-offset", "-3s", "-o", "mac.json"});
  INFO(mac.err);
  CHECK(mac.exit_code == 0);
  REQUIRE(is_valid(gpubench, "mac.json"));
  const Json energy = read_json(gpubench.folder() / "mac.json").at("results")[0].at("energy");
  REQUIRE(energy.size() == 1);
  CHECK(energy[0].at("scope") == "gpu-rail");
  CHECK(energy[0].at("device") == "mps");
  CHECK(energy[0].at("quantity") == "power averaged over 1 s");

  std::ofstream raw(gpubench.folder() / "raw.csv");
  raw << gpubench::kRawLogHeader << '\n';
  for (int i = 0; i < 200; ++i) {
    raw << 998 + i * 0.1 << ",nvml,GPU 0,mps,gpu-board," << 5000 + i * 20 << ",200,,,,\n";
  }
  raw.close();
  const auto own = gpubench.run({"file", "import-power", "mac.json", "raw.csv", "-o", "own.json"});
  INFO(own.err);
  CHECK(own.exit_code == 0);
  REQUIRE(is_valid(gpubench, "own.json"));
  const Json both = read_json(gpubench.folder() / "own.json").at("results")[0].at("energy");
  REQUIRE(both.size() == 2);
  CHECK(both[1].at("meter") == "nvml");
  CHECK(both[1].at("method") == "counter-difference");
  CHECK(both[1].at("energy_joules").get<double>() == approx(8.25 * 200).epsilon(0.02));
}

TEST_CASE("the error for a log of another time has both times and a remedy") {
  Gpubench gpubench;
  write_result(gpubench, {"2023-12-17T17:49:17.500Z"});
  const auto apart = gpubench.run(
      {"file", "import-power", "result.json", kPower + "nvidia-smi-exact.csv", "--time-zone", "Z"});
  CHECK(apart.exit_code == 3);
  CHECK(apart.out.empty());
  CHECK_THAT(apart.err,
             contains_text("nvidia-smi-exact.csv: covers no case: it is from 2023-12-17 18:49:17 UTC to "
                           "2023-12-17 18:49:36 UTC, the epochs of result.json are from 2023-12-17 "
                           "17:49:19 UTC to 2023-12-17 17:49:32 UTC; set --time-zone or --clock-offset"));
  write_result(gpubench, {""});
  const auto timeless =
      gpubench.run({"file", "import-power", "result.json", kPower + "nvidia-smi-exact.csv"});
  CHECK(timeless.exit_code == 3);
  CHECK_THAT(timeless.err, contains_text("result.json: no case has the times of its epochs; run it again"));
}

TEST_CASE("errors of the import name the file or the option") {
  Gpubench gpubench;
  write_result(gpubench, {"2023-12-17T17:49:17.500Z"});
  const std::string log = kPower + "nvidia-smi-exact.csv";
  std::ofstream(gpubench.folder() / "bad.csv")
      << "timestamp, power.draw [W]\n2023/02/30 18:49:17.547, 1.00 W\n";
  const std::vector<std::tuple<std::vector<std::string>, int, std::string>> cases{
      {{"result.json", "none.csv"}, 3, "none.csv: cannot be read: no such file"},
      {{"none.json", log}, 3, "none.json: cannot be read"},
      {{"result.json", "result.json"}, 3, "no column has a power with its unit (content_sha256, allocator"},
      {{"result.json", "bad.csv"},
       3,
       "bad.csv: has no readings; line 2: '2023/02/30 18:49:17.547, 1.00 W' has day 30"},
      {{"result.json", log, "--log-format", "gpubench"}, 3, "line 1: has 2 fields instead of 11"},
      {{"result.json", log, "--log-format", "xml"}, 2, "--log-format: unknown log format 'xml'"},
      {{"result.json", log, "--time-zone", "CET"}, 2, "--time-zone 'CET': not a UTC offset"},
      {{"result.json", log, "--clock-offset", "soon"}, 2, "--clock-offset 'soon': not a duration"},
      {{"result.json", log, "--energy-method", "guess"}, 2, "--energy-method: unknown energy method 'guess'"},
      {{"result.json", log, "--scope", "gpu-bored"}, 2, "--scope: unknown scope 'gpu-bored'"},
      {{"result.json", log, "--part", "GPU 7"}, 2, "--part 'GPU 7': is not in the log; choose 'GPU'"},
      {{"result.json"}, 2, "log is required"}};
  for (const auto& [arguments, code, message] : cases) {
    std::vector<std::string> all{"file", "import-power"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto result = gpubench.run(all);
    INFO(message);
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains_text(message));
  }
}

}  // namespace gpubench::test::energy_import_test
