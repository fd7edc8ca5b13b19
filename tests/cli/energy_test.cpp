// Energy of runs, with the real binary and logs that are replayed.

#include <array>
#include <cstdio>
#include <fstream>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::energy_test {

namespace {

/// A minute of about 100 W by a log of nvidia-smi, ten samples a second.
void write_log(const Gpubench& gpubench) {
  std::ofstream log(gpubench.folder() / "power.csv");
  log << "timestamp, voltage, current, power [W]\n";  // A plug: the whole machine.
  for (int i = 0; i < 600; ++i) {
    std::array<char, 64> line{};
    std::snprintf(line.data(), line.size(), "2026/01/02 03:04:%02d.%d00, 230, 1, %.2f W\n", i / 10, i % 10,
                  100 + (i % 3 - 1) * 0.5);
    log << line.data();
  }
}

std::vector<std::string> mlp(std::vector<std::string> more, const std::string& limit = "8192") {
  std::vector<std::string> arguments{"--model", "mlp",      "--dataset", "synthetic", "--max-samples",
                                     limit,     "--epochs", "3",         "--device",  "cpu",
                                     "--batch", "128",      "-o",        "run.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Json make_run(const Gpubench& gpubench, const std::string& file = "run.json") {
  return Json::parse(std::ifstream(gpubench.folder() / file));
}

/// Runs it until energy and idle power are known. A busy machine may not read the meter in time; then the row
/// has the reason in place of the figure, and is measured again: not so many times in a row.
ProcessResult run_with_joules(const Gpubench& gpubench, std::vector<std::string> arguments) {
  arguments.emplace_back("--force");
  ProcessResult result;
  for (int attempt = 0; attempt < 10; ++attempt) {
    result = gpubench.run(arguments);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json energy = make_run(gpubench)["results"][0]["energy"][0];
    if (energy["energy_joules"].is_number() && energy["idle_before_watts"].is_number()) return result;
    CHECK_FALSE(energy["missing"].empty());
  }
  FAIL("no joules in ten runs: " << result.out);
  return result;
}

void check_valid(const Gpubench& gpubench, const std::string& file = "run.json") {
  const auto validated = gpubench.run({"file", "validate", file});
  INFO(validated.out << validated.err);
  CHECK(validated.exit_code == 0);
}

}  // namespace

TEST_CASE("a run with a meter has joules, watts and idle power, and is as long as asked", "[seam]") {
  Gpubench gpubench;
  write_log(gpubench);
  // Epochs so short that even a busy machine has done three of them before the window is over.
  const auto result =
      run_with_joules(gpubench, mlp({"--meter", "replay:power.csv", "--min-time", "3s"}, "512"));
  const Json row = make_run(gpubench)["results"][0];
  CHECK(row["asked"]["min_timed_seconds"] == 3);
  CHECK(row["facts"]["stopped_by"] == "time");
  const Json& energy = row["energy"][0];
  CHECK(energy["meter"] == "replay");
  const double seconds = energy["window_seconds"];
  CHECK(seconds >= 3);
  CHECK(energy["energy_joules"].get<double>() == approx(100 * seconds).epsilon(0.01));
  CHECK(energy["idle_before_watts"].get<double>() == approx(100).epsilon(0.01));
  CHECK(energy["sampler_load"] < 0.02);
  CHECK(row["figures"]["mean_watts"].get<double>() == approx(100).epsilon(0.01));
  CHECK_THAT(result.out, contains_text("[J]"));
  check_valid(gpubench);
}

TEST_CASE("a window too short for its source has no joules, and the reason says what helps", "[seam]") {
  Gpubench gpubench;
  std::ofstream log(gpubench.folder() / "power.csv");
  log << "timestamp, power.draw [W]\n";
  for (int i = 0; i < 20; ++i) {
    log << "2026/01/02 03:04:" << 10 + 2 * i << ".000, " << (i % 2 == 0 ? 50 : 150) << " W\n";
  }
  log.close();
  CHECK(gpubench.run(mlp({"--meter", "replay:power.csv"})).exit_code == 0);
  const Json energy = make_run(gpubench)["results"][0]["energy"][0];
  CHECK(energy["energy_joules"].is_null());
  CHECK_THAT(energy["missing"].dump(), contains_text("--min-time"));
  check_valid(gpubench);
}

TEST_CASE("without a meter there are no joules, and the row and the page say why", "[seam]") {
  Gpubench gpubench;
  CHECK(gpubench.run(mlp({"--meter", "none"})).exit_code == 0);
  const Json row = make_run(gpubench)["results"][0];
  CHECK(row["energy"].empty());
  CHECK_FALSE(row["figures"].contains("mean_epoch_joules"));
  CHECK_THAT(row["facts"]["energy_note"].get<std::string>(), contains_text("--meter none"));
  CHECK_THAT(gpubench.run({"show", "run.json", "--details"}).out, contains_text("not measured"));
  check_valid(gpubench);
}

TEST_CASE("what --meter and its companions do not understand is refused before any work") {
  Gpubench gpubench;
  write_log(gpubench);
  std::ofstream(gpubench.folder() / "bad.csv") << "no log\n";
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& text) {
    const auto result = gpubench.run(mlp(more));
    INFO(result.err);
    CHECK(result.exit_code == code);
    CHECK_THAT(result.err, contains_text(text));
  };
  refused({"--meter", "nvlm"}, 2, "nvml");
  refused({"--meter", "replay"}, 2, "replay:");
  refused({"--meter", "replay:nowhere.csv"}, 3, "nowhere.csv");
  refused({"--meter", "replay:bad.csv"}, 3, "bad.csv");
  refused({"--min-time", "long"}, 2, "--min-time");
  refused({"--meter", "replay:power.csv", "--power-log", "no/such/folder.csv"}, 2, "--power-log");
}

TEST_CASE("every reading goes to the log that was asked for, which can be imported again") {
  Gpubench gpubench;
  write_log(gpubench);
  run_with_joules(gpubench,
                  mlp({"--meter", "replay:power.csv", "--min-time", "3s", "--power-log", "raw.csv"}));
  const auto imported = gpubench.run({"file", "import-power", "run.json", "raw.csv", "-o", "again.json"});
  INFO(imported.err);
  REQUIRE(imported.exit_code == 0);
  const Json live = make_run(gpubench)["results"][0]["energy"][0];
  const Json again = make_run(gpubench, "again.json")["results"][0]["energy"][0];
  CHECK(again["energy_joules"].get<double>() == approx(live["energy_joules"].get<double>()).epsilon(0.001));
  check_valid(gpubench, "again.json");
}

TEST_CASE("doctor --power loads the device and tells what each source shows of it") {
  Gpubench gpubench;
  write_log(gpubench);
  CHECK_THAT(gpubench.run({"doctor", "--power", "--meter", "none"}).out,
             contains_text("disabled by --meter none"));
  const auto result = gpubench.run({"doctor", "--power", "--device", "cpu", "--meter", "replay:power.csv"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("update period"));
  CHECK_THAT(result.out, contains_text("100 W"));
  // A log knows nothing of the load.
  CHECK_THAT(result.out, contains_text("no source responds to a load of cpu"));
}

}  // namespace gpubench::test::energy_test
