// `gpubench trend` and comparisons with earlier runs, with the real binary and stores made by `history
// import`.

#include <array>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"
#include "tsv_table.h"

namespace gpubench::test::trend_test {

namespace {

using nlohmann::json;

/// Deviations of equal runs, like samples of a normal distribution.
constexpr std::array kNoise = {0.3,  -1.1, 0.7,  1.4, -0.4, -0.9, 0.1, 1.0,
                               -1.6, 0.5,  -0.2, 0.8, -0.7, 0.2,  -0.5};

/// Content of a result file.
struct RunSpec {
  std::string day;
  double factor = 1;  ///< Epoch time relative to the fixture.
  int libtorch = 8;   ///< Minor version of LibTorch.
  int repeats = 1;
  std::string host = "alpha";
  std::string time = "04:05:06";
};

json make_run(const RunSpec& spec) {
  json document = json::parse(std::ifstream(fixtures_dir() + "/results/alpha-cpu.json"));
  document["tool"]["started_at"] = spec.day + "T" + spec.time + "Z";
  document.erase("content_sha256");
  document["tool"]["finished_at"] = spec.day + "T04:06:00Z";
  document["environment"]["libtorch_version"] = fmt::format("2.{}.0", spec.libtorch);
  document["environment"]["host"] = spec.host;
  json rows = json::array();
  for (json row : document["results"]) {
    if (row["asked"]["batch_size"] != 128 || row["asked"]["model"] == "lstm") continue;
    for (json& seconds : row["samples"]["epoch_seconds"]) seconds = spec.factor * seconds.get<double>();
    for (int repeat = 1; repeat <= spec.repeats; ++repeat) {
      row["asked"]["repeat"] = repeat;
      rows.push_back(row);
    }
  }
  document["results"] = rows;
  return document;
}

std::string day(std::size_t number) { return fmt::format("2026-01-{:02}", number); }

/// The program with its own store.
class Trend : public Gpubench {
 public:
  Trend() {
    set("GPUBENCH_STORE", (folder() / "store.sqlite").string());
    set("COLUMNS", "120");  // Cells are not wrapped.
  }

  void write(const std::string& name, const RunSpec& spec) const {
    std::filesystem::create_directories(folder() / "runs");
    std::ofstream(folder() / name) << make_run(spec);
  }

  /// Imports a run per day, from 2026-01-01. They scatter by `noise`; runs from `change` on are `factor`
  /// times as slow.
  void add_runs(std::size_t count, double noise = 0.01, std::size_t change = 0, double factor = 1,
                int libtorch = 8) const {
    for (std::size_t number = 1; number <= count; ++number) {
      const bool is_after = change > 0 && number >= change;
      write("runs/" + day(number) + ".json",
            {day(number), (1 + noise * kNoise.at(number - 1)) * (is_after ? factor : 1),
             is_after ? libtorch : 8});
    }
    REQUIRE(run({"history", "import", "runs"}).exit_code == 0);
  }

  std::vector<TsvRow> table(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "tsv"});
    const ProcessResult result = run(words);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return parse_tsv(result.out);
  }

  int gate(const std::string& threshold = "5%") const {
    return run({"trend", "--gate", threshold}).exit_code;
  }
};

}  // namespace

TEST_CASE("trend finds when series became slower, by how much, and what changed") {
  Trend trend;
  trend.add_runs(12, 0.01, 7, 1.3, 1);
  const auto shown = trend.run({"trend"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.err.empty());
  CHECK_THAT(shown.out, contains_text("2 of 2 series changed; 2 are slower."));
  CHECK_THAT(shown.out, contains_text("1.30 slower") &&
                            contains_text("since 2026-01-07, run 7  LibTorch 2.8.0 -> 2.1.0"));
  CHECK_THAT(shown.out, contains_text("2 series with 12 runs, from 2026-01-01 to 2026-01-12."));
  CHECK_THAT(shown.out, contains_text("Autocorrelation of neighbouring runs on Processor 9000: "));

  const std::vector<TsvRow> rows = trend.table({"trend"});
  REQUIRE(rows.size() == 2);
  for (const TsvRow& row : rows) {
    CHECK(std::stod(row.at("ratio")) == approx(1.3).epsilon(0.03));
    CHECK(std::stod(row.at("ratio_low")) > 1.1);
    CHECK(std::stod(row.at("ratio_high")) < 1.5);
    CHECK(row.at("change") == "slower");
    CHECK(row.at("is_certain") == "1");
    CHECK(row.at("since") == "2026-01-07T04:05:06Z");
    CHECK(row.at("what_changed") == "LibTorch 2.8.0 -> 2.1.0");
  }
  CHECK(trend.table({"trend", "cnn"}).size() == 1);
  CHECK(trend.table({"trend", rows[1].at("series")}) == std::vector{rows[1]});
  CHECK(trend.run({"trend", "resnet"}).exit_code == 2);
  CHECK_THAT(trend.run({"trend", "--format", "html"}).out, contains_text("<svg"));
}

TEST_CASE("a recent change is reported as possible, and an unexplained change as such") {
  Trend trend;
  trend.add_runs(15, 0.01, 13, 0.7);
  const auto shown = trend.run({"trend"});
  CHECK_THAT(shown.out, contains_text("2 of 2 series changed; 2 are possibly faster."));
  CHECK_THAT(shown.out, contains_text("possibly since 2026-01-13"));
  CHECK_THAT(shown.out, contains_text("no recorded condition"));
  CHECK(trend.table({"trend"}).front().at("is_certain") == "0");
  CHECK(trend.gate() == 0);
}

TEST_CASE("trend reports how many runs are missing, and that equal runs did not change") {
  Trend trend;
  CHECK(trend.run({"trend"}).exit_code == 2);
  trend.add_runs(5);
  CHECK_THAT(trend.run({"trend"}).out,
             contains_text("2 series have fewer than 8 runs: 3 more are needed for a verdict."));
  CHECK(trend.table({"trend"}).front().at("missing_runs") == "3");
  trend.add_runs(12);
  CHECK_THAT(trend.run({"trend"}).out, contains_text("None of 2 series changed."));
  CHECK_THAT(trend.run({"trend", "--since", "2026-01-07"}).out, contains_text("2 more are needed"));
  CHECK(trend.run({"trend", "--since", "January"}).exit_code == 2);
  CHECK(trend.run({"trend", "--last", "7"}).exit_code == 2);
}

TEST_CASE("the gate of trend fails if a lasting slowdown exceeds its threshold") {
  Trend slower;
  slower.add_runs(12, 0.01, 7, 1.3);
  CHECK(slower.gate() == 6);
  CHECK(slower.gate("60%") == 0);
  CHECK(slower.gate("30%") == 7);
  CHECK_THAT(slower.run({"trend", "--gate", "5%"}).out,
             contains_text("Regression: 2 of 2 series are slower by more than 5 %."));
  Trend faster;
  faster.add_runs(12, 0.01, 7, 0.7);
  CHECK(faster.gate() == 0);
  Trend possible;
  possible.add_runs(12, 0.01, 10, 1.3);
  CHECK(possible.gate() == 7);
  Trend equal;
  equal.add_runs(5);
  CHECK(equal.gate() == 7);
  equal.add_runs(12);
  CHECK(equal.gate() == 0);
}

TEST_CASE("the store does not affect a comparison of files") {
  Trend trend;
  trend.write("before.json", {"2026-02-01", 1, 8, 5});
  trend.write("after.json", {"2026-02-02", 1.04, 8, 5, "beta"});
  const std::vector<std::string> words = {"compare", "before.json", "after.json"};
  const std::string alone = trend.run(words).out;
  trend.add_runs(12, 0.03);
  CHECK(trend.run(words).out == alone);
}

TEST_CASE("--baseline history needs runs of its host on several days, with equal settings") {
  Trend trend;
  const auto gate = [&] {
    return trend.run({"compare", "new.json", "--baseline", "history", "--gate", "5%"});
  };
  trend.write("new.json", {"2026-02-02", 1.3});
  for (int hour = 10; hour < 22; ++hour) {
    trend.write("run.json",
                {"2026-01-01", 1 + 0.001 * (hour % 3), 8, 1, "alpha", fmt::format("{}:00:00", hour)});
    trend.run({"history", "import", "run.json"});
    trend.write("run.json", {day(static_cast<std::size_t>(hour)), 1 + 0.001 * (hour % 3), 8, 1, "beta"});
    trend.run({"history", "import", "run.json"});
  }
  const auto one_day = gate();
  CHECK(one_day.exit_code == 7);
  CHECK_THAT(one_day.out, contains_text("1 of 3 days"));
  CHECK_THAT(one_day.out, contains_text("12 with more processes"));
}

TEST_CASE("--baseline history compares a run with earlier runs of this machine") {
  Trend trend;
  const auto gate = [&](const std::string& file) {
    return trend.run({"compare", file, "--baseline", "history", "--gate", "5%"});
  };
  trend.write("equal.json", {"2026-02-02"});
  trend.write("slower.json", {"2026-02-02", 1.3});
  CHECK(gate("equal.json").exit_code == 7);
  trend.add_runs(5);
  const auto few = gate("slower.json");
  CHECK(few.exit_code == 7);
  CHECK_THAT(few.out, contains_text("Too few earlier runs for a verdict: mlp, batch 128: 5 of 8 runs; cnn,"));
  trend.add_runs(12);
  CHECK(gate("equal.json").exit_code == 0);
  CHECK(gate("slower.json").exit_code == 6);

  CHECK(trend.run({"history", "import", "slower.json"}).exit_code == 0);
  const auto compared = trend.run({"compare", "slower.json", "--baseline", "history"});
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, contains_text("times as fast as history"));
  CHECK_THAT(compared.out, contains_text("history: median of 12 earlier runs; 95 % of new runs are within"));
  CHECK(trend.run({"compare", "slower.json", "equal.json", "--baseline", "history"}).exit_code == 2);
  CHECK(trend.run({"report", "slower.json", "--baseline", "history", "-o", "page.html"}).exit_code == 0);
}

TEST_CASE("--baseline history uses only runs at the current level") {
  Trend trend;
  trend.add_runs(15, 0.01, 7, 1.3);
  trend.write("new.json", {"2026-02-02", 1.3});
  const auto compared = trend.run({"compare", "new.json", "--baseline", "history", "--gate", "10%"});
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, contains_text("median of 9 earlier runs"));
}

}  // namespace gpubench::test::trend_test
