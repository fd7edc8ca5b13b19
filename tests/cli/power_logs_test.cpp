// Real-world power logs, imported with the real binary: the joules are right, or the error names the true
// cause.

#include <cmath>
#include <functional>

#include <fmt/chrono.h>

#include "gpubench_process.h"
#include "support/catch.h"
#include "timed_result.h"

namespace gpubench::test::power_logs_test {

namespace {

constexpr int kReadings = 24;  // One per second, from the start of the case.
constexpr double kTimedSeconds = 8.25;

std::string stamp(int second, const std::string& format = "{:%Y-%m-%d %H:%M:%S}") {
  return fmt::format(fmt::runtime(format), fmt::gmtime(static_cast<std::time_t>(1772366400 + second)));
}

/// Returns a heading and a line per reading.
std::string lines(const std::string& heading, const std::function<std::string(int)>& line) {
  std::string text = heading;
  for (int i = 0; i < kReadings; ++i) text += line(i);
  return text;
}

struct Import {
  ProcessResult process;
  Json energy;  ///< Energy of the only case; empty if no file was written.
};

Import import_log(const Gpubench& gpubench, const std::string& text, std::vector<std::string> options = {}) {
  std::ofstream(gpubench.folder() / "power.log", std::ios::binary) << text;
  std::vector<std::string> words{"file", "import-power", "result.json", "power.log", "--time-zone", "Z"};
  words.insert(words.end(), options.begin(), options.end());
  Import import{gpubench.run(words), Json::array()};
  if (!import.process.out.empty())
    import.energy = Json::parse(import.process.out).at("results")[0].at("energy");
  return import;
}

/// Returns the joules of a part; NaN if it is missing.
double joules(const Import& import, const std::string& part) {
  for (const Json& record : import.energy) {
    if (record.at("part") == part && record.at("energy_joules").is_number())
      return record.at("energy_joules");
  }
  return std::nan("");
}

std::string smi_lines(const std::string& heading, const std::function<std::string(int)>& rest) {
  return lines(heading, [&](int i) { return stamp(i, "{:%Y/%m/%d %H:%M:%S}") + ".123, " + rest(i) + "\n"; });
}

Json with_visible(const std::string& variables) { return {{"visible_devices", variables}}; }

}  // namespace

TEST_CASE("constant power in logs of any kind gives power times time") {
  struct Log {
    std::string name;
    std::string text;
    std::string device;
    std::string part;
    double watts;
    std::vector<std::string> options;
  };
  const std::string utf8 = smi_lines("timestamp, power.draw [W]\r\n", [](int) { return "200.00 W\r"; });
  std::string utf16 = "\xff\xfe";
  for (const char character : utf8) (utf16 += character) += '\0';
  const auto gpustat = [](int i) {
    return R"({"query_time": ")" + stamp(i, "{:%Y-%m-%dT%H:%M:%S}") +
           R"(.123", "gpus": [{"index": 0, "power.draw": 200}, {"index": 1, "power.draw": 31}]})" + "\n";
  };
  const std::vector<Log> logs{
      {"UTF-16", utf16, "cuda:0", "GPU", 200, {}},
      {"columns that the user describes",
       lines("Time,Power\n", [](int i) { return stamp(i) + ".123456789,200000\n"; }),
       "cuda:0",
       "Power",
       200,
       {"--log-format", "time=Time power=Power:mW"}},
      {"a tool that the user names",
       lines("", gpustat),
       "cuda:0",
       "GPU 1",
       31,
       {"--log-format", "gpustat", "--part", "GPU 1"}},
      {"turbostat",
       lines("Time_Of_Day_Seconds\tPkgWatt\n",
             [](int i) { return fmt::format("{}.5\t65.00\n", 1772366400 + i); }),
       "cpu",
       "packages",
       65,
       {}},
      {"macmon",
       lines("",
             [](int i) {
               return R"({"timestamp":")" + stamp(i, "{:%Y-%m-%dT%H:%M:%S}") +
                      R"(.123+00:00","cpu_power":4.7,"gpu_power":20.0,"ane_power":0.0,"all_power":24.7})" +
                      "\n";
             }),
       "mps",
       "GPU",
       20,
       {}},
      {"a plug, for the device of the run",
       lines("time;power_w\n", [](int i) { return stamp(i, "{:%d.%m.%Y %H:%M:%S}") + ",5;260,0\n"; }),
       "cuda:0",
       "power_w",
       260,
       {"--scope", "system"}}};
  for (const Log& log : logs) {
    Gpubench gpubench;
    write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, log.device);
    const Import import = import_log(gpubench, log.text, log.options);
    INFO(log.name << ": " << import.process.err);
    CHECK(import.process.exit_code == 0);
    CHECK(joules(import, log.part) == approx(log.watts * kTimedSeconds).epsilon(1e-6));
    CHECK_THAT(import.process.err, contains_text("energy for 1 of 1 cases"));
  }
}

TEST_CASE("readings that the device cannot have are refused with the unit that would fit") {
  Gpubench gpubench;
  Json document = write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, "cuda:0", with_visible("none"));
  document["environment"]["devices"][0]["name"] = "cuda:0";
  document["environment"]["devices"][0]["power_limit_watts"] = 350;
  std::ofstream(gpubench.folder() / "result.json") << document;
  const auto refusal = [&](const std::string& power) {
    const Import import = import_log(
        gpubench, smi_lines("timestamp, index, power.draw [W]\n", [&](int) { return "0, " + power; }));
    CHECK(import.process.exit_code == (power == "300.00" ? 0 : 3));
    return import.process.err;
  };
  CHECK_THAT(refusal("900.00"),
             contains_text("'GPU 0' has readings up to 900 W, but the power limit of cuda:0 is 350 W; "
                           "state the unit in --log-format, as in power=COLUMN:mW"));
  CHECK_THAT(refusal("0.21"), contains_text("power=COLUMN:kW"));
  CHECK_THAT(refusal("300.00"), contains_text("energy for 1 of 1 cases"));
}

TEST_CASE(
    "an unknown log is refused with the command that lists the tools, and the option is checked first") {
  Gpubench gpubench;
  write_result(gpubench, {"2026-03-01T12:00:02.000Z"});
  const Import import =
      import_log(gpubench, lines("timestamp,gpu_power_pct\n", [](int i) { return stamp(i) + ",57.5\n"; }));
  CHECK(import.process.exit_code == 3);
  CHECK_THAT(
      import.process.err,
      contains_text(
          "power.log: 'timestamp,gpu_power_pct' has an unknown format: no column has a power with its unit "
          "(timestamp, gpu_power_pct); explain it, as in --log-format 'time=timestamp power=COLUMN:W'; "
          "'gpubench list log-formats' lists the tools"));
  const auto unknown =
      gpubench.run({"file", "import-power", "none.json", "none.log", "--log-format", "gpustats"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err,
             contains_text("--log-format: unknown log format 'gpustats'; did you mean 'gpustat'?"));
  const auto list = gpubench.run({"list", "log-formats"});
  CHECK_THAT(list.out, contains_text("gpustat") && contains_text("gpustat --json -i"));
}

TEST_CASE(
    "the run's GPU is found by UUID, PCI address or visible devices; otherwise the import is an error") {
  const std::string by_index = smi_lines("timestamp, index, power.draw [W]\n", [](int i) {
    const std::string again = "\n" + stamp(i, "{:%Y/%m/%d %H:%M:%S}") + ".123, ";
    return "0, 61.00 W" + again + "1, 62.00 W" + again + "3, 400.00 W";
  });
  Gpubench gpubench;
  write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, "cuda:0", with_visible("CUDA_VISIBLE_DEVICES=3"));
  const Import mapped = import_log(gpubench, by_index);
  INFO(mapped.process.err);
  CHECK(mapped.energy.size() == 1);
  CHECK(joules(mapped, "GPU 3") == approx(400 * kTimedSeconds));

  write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, "cuda:0", with_visible("none"));
  CHECK(joules(import_log(gpubench, by_index), "GPU 0") == approx(61 * kTimedSeconds));

  write_result(gpubench, {"2026-03-01T12:00:02.000Z"});
  const Import unknown = import_log(gpubench, by_index);
  CHECK(unknown.process.exit_code == 3);
  CHECK(unknown.process.out.empty());
  CHECK_THAT(
      unknown.process.err,
      contains_text("power.log: cannot tell which GPU ('GPU 0', 'GPU 1', 'GPU 3') is cuda:0 (the result "
                    "does not record CUDA_VISIBLE_DEVICES); choose one, as in --part 'GPU 0'"));
  CHECK(joules(import_log(gpubench, by_index, {"--part", "3"}), "GPU 3") == approx(400 * kTimedSeconds));

  const std::string by_uuid = smi_lines("timestamp, index, uuid, power.draw [W]\n", [](int i) {
    const std::string again = "\n" + stamp(i, "{:%Y/%m/%d %H:%M:%S}") + ".125, ";
    return "0, GPU-00000000-aaaa-0000-0000-000000000000, 61.00 W" + again +
           "0, GPU-00000000-bbbb-0000-0000-000000000000, 400.00 W";
  });
  Json document = write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, "cuda:0", with_visible("none"));
  document["environment"]["devices"][0]["uuid"] = "GPU-00000000-bbbb-0000-0000-000000000000";
  document["environment"]["devices"][0]["name"] = "cuda:0";
  std::ofstream(gpubench.folder() / "result.json") << document;
  const Import owned = import_log(gpubench, by_uuid);
  INFO(owned.process.err);
  CHECK(joules(owned, "GPU 0 GPU-00000000-bbbb-0000-0000-000000000000") == approx(400 * kTimedSeconds));
}

TEST_CASE("a log of other devices adds no energy") {
  Gpubench gpubench;
  const std::string smi = smi_lines("timestamp, index, power.draw [W]\n", [](int) { return "0, 200.00 W"; });
  write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, "cpu");
  const Import cpu = import_log(gpubench, smi);
  CHECK(cpu.process.exit_code == 3);
  CHECK_THAT(cpu.process.err,
             contains_text("power.log: measures 'GPU 0', but all cases ran on cpu; give the log of "
                           "the run's device, or name the device with --device"));

  write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, "cuda:0", with_visible("CUDA_VISIBLE_DEVICES=3"));
  const Import other = import_log(gpubench, smi);
  CHECK(other.process.exit_code == 3);
  CHECK_THAT(other.process.err, contains_text("measures 'GPU 0', but the run used other devices (cuda:0 with "
                                              "CUDA_VISIBLE_DEVICES=3)"));

  write_result(gpubench, {"2026-03-01T12:00:02.000Z"}, "cuda:0");
  const Import package = import_log(gpubench, lines("Time_Of_Day_Seconds\tPkgWatt\n", [](int i) {
                                      return fmt::format("{}.5\t65.00\n", 1772366400 + i);
                                    }));
  CHECK(package.process.exit_code == 0);
  CHECK_THAT(package.process.err, contains_text("no energy: no power source measures cuda:0"));
  CHECK_THAT(package.process.err, contains_text("energy for 0 of 1 cases"));
}

TEST_CASE("a log with several nodes requires --part") {
  Gpubench gpubench;
  write_result(gpubench, {"2026-03-01T12:00:02.000Z"});
  const std::string text = lines("time,node,power_w\n", [](int i) {
    return fmt::format("{0}.5,n1,900\n{0}.5,n2,1100\n", 1772366400 + i);
  });
  const Import both = import_log(gpubench, text);
  CHECK(both.process.exit_code == 3);
  CHECK_THAT(both.process.err,
             contains_text("'n1', 'n2' have the same scope, system; choose one with --part"));
  CHECK(joules(import_log(gpubench, text, {"--part", "n2"}), "n2") == approx(1100 * kTimedSeconds));
}

TEST_CASE("foreign lines of JSON are ignored, and a log without times is an error") {
  Gpubench gpubench;
  write_result(gpubench, {"2026-03-01T12:00:02.000Z"});
  const Import untimed =
      import_log(gpubench, lines("", [](int i) { return fmt::format("{{\"t\":{},\"power\":200}}\n", i); }));
  CHECK(untimed.process.exit_code == 3);
  CHECK_THAT(untimed.process.err, contains_text("no column has a date and a time"));
  CHECK(import_log(gpubench, "2026-03-01 12:00:00\n{}\n{}\n").process.exit_code == 3);
  // Ignores other lines: events between readings, and JSON in a table.
  const std::string event = "{\"time\":1772366412,\"event\":\"x\"}\n";
  const Import mixed = import_log(gpubench, lines("", [&](int i) {
                                    return fmt::format("{{\"time\":{}.5,\"gpu_power_w\":200}}\n{}",
                                                       1772366400 + i, i == 12 ? event : "");
                                  }));
  INFO(mixed.process.err);
  CHECK(joules(mixed, "GPU") == approx(200 * kTimedSeconds));
  const Import in_table = import_log(gpubench, smi_lines("timestamp, power.draw [W]\n", [](int i) {
                                       return i == 12 ? "200.00 W\n{\"time\":1}" : "200.00 W";
                                     }));
  CHECK(joules(in_table, "GPU") == approx(200 * kTimedSeconds));
}

TEST_CASE("the note about a log that covers only some epochs has a remedy") {
  Gpubench gpubench;
  write_result(gpubench, {"2026-03-01T12:00:02.000Z"});
  std::string text = "timestamp, power.draw [W]\n";
  for (int i = 11; i < kReadings; ++i) text += stamp(i, "{:%Y/%m/%d %H:%M:%S}") + ".123, 200.00 W\n";
  const Import late = import_log(gpubench, text);
  CHECK_THAT(late.process.err, contains_text("95 % are needed; record without gaps from "));
}

}  // namespace gpubench::test::power_logs_test
