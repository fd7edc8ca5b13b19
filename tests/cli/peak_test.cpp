// `gpubench peak`, with the real binary.

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "store/store.h"
#include "support/catch.h"
#include "support/schema.h"

namespace gpubench::test::peak_test {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Returns gpubench with an empty store, without the facts of other tests.
class GpubenchWithStore : public Gpubench {
 public:
  GpubenchWithStore() { set("GPUBENCH_STORE", peaks().string()); }
  fs::path peaks() const { return folder() / "store.sqlite"; }
};

std::vector<std::string> quick(std::vector<std::string> more) {
  more.insert(more.begin(), {"peak", "--quick", "--device", "cpu", "--threads", "1"});
  return more;
}

Json read_json(const fs::path& path) { return Json::parse(std::ifstream(path)); }

/// Marks the stored peaks as complete, and sets the rate of a precision.
void rewrite_peaks(const fs::path& path, const std::string& precision, double rate) {
  Store store(path);
  for (const auto& [key, text] : store.find_facts("peak ")) {
    Json peak = Json::parse(text);
    peak["full"] = true;
    peak["device"]["peak_flops_per_second"][precision] = rate;
    store.keep_fact(key, peak.dump());
  }
}

Json stored_peak(const fs::path& path) {
  const FactTexts peaks = Store(path).find_facts("peak ");
  REQUIRE(peaks.size() == 1);
  return Json::parse(peaks.begin()->second);
}

std::vector<std::string> training(std::vector<std::string> more) {
  more.insert(more.begin(), {"--model", "mlp", "--max-samples", "48", "--epochs", "2", "--device", "cpu",
                             "--threads", "1", "-o", "run.json"});
  return more;
}

}  // namespace

TEST_CASE("peak --quick prints a table and writes a document, and later runs use its peaks", "[seam]") {
  const GpubenchWithStore gpubench;
  const auto result = gpubench.run(quick({"-o", "peak.json"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("matrix product fp32"));
  CHECK_THAT(result.out, contains_text("FLOP/s"));
  CHECK_THAT(result.err, contains_text("result in peak.json"));

  const Json document = read_json(gpubench.folder() / "peak.json");
  CHECK(schema_errors(document) == std::vector<std::string>());
  CHECK(document["tool"]["arguments"][0] == "peak");
  CHECK(document["environment"]["threads"] == 1);
  CHECK(document["environment"]["devices"][0]["peak_flops_per_second"]["fp32"] > 0);

  constexpr double kMadeUp = 1.5e15;
  rewrite_peaks(gpubench.peaks(), "fp32", kMadeUp);
  const auto run = gpubench.run(training({}));
  INFO(run.err);
  CHECK(run.exit_code == 0);
  const Json device = read_json(gpubench.folder() / "run.json")["environment"]["devices"][0];
  CHECK(device["peak_flops_per_second"]["fp32"] == kMadeUp);
  CHECK(device["peak_measured_at"] == document["environment"]["devices"][0]["peak_measured_at"]);
}

TEST_CASE("a stored peak that is far too low is measured again and does not make rows invalid") {
  const GpubenchWithStore gpubench;
  REQUIRE(gpubench.run(quick({"-o", "peak.json"})).exit_code == 0);
  constexpr double kFarTooLow = 1e3;
  rewrite_peaks(gpubench.peaks(), "fp32", kFarTooLow);
  const auto result = gpubench.run(training({}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json run = read_json(gpubench.folder() / "run.json");
  CHECK(schema_errors(run) == std::vector<std::string>());
  CHECK(run["environment"]["devices"][0]["peak_flops_per_second"]["fp32"] > 1e3 * kFarTooLow);
  for (const Json& row : run["results"]) {
    CHECK(row["status"] == "ok");
    CHECK(row["figures"]["mfu"] <= 1);
  }
  CHECK(stored_peak(gpubench.peaks())["device"]["peak_flops_per_second"]["fp32"] > 1e3 * kFarTooLow);
}

TEST_CASE("a row above the stored peak raises the peak of the run and of later runs") {
  const GpubenchWithStore gpubench;
  REQUIRE(gpubench.run(quick({"-o", "peak.json"})).exit_code == 0);
  // The peak of fp32 stays, so that the rate remains plausible.
  rewrite_peaks(gpubench.peaks(), "bf16", 1e3);
  const auto result = gpubench.run(training({"--precision", "bf16"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json run = read_json(gpubench.folder() / "run.json");
  const Json row = run["results"][0];
  CHECK(row["status"] == "ok");
  CHECK(row["facts"]["peak_source"] == "row");
  CHECK(row["figures"]["mfu"] == 1);
  CHECK(run["environment"]["devices"][0]["peak_from_rows"] == Json{"bf16"});
  const Json stored = stored_peak(gpubench.peaks());
  CHECK(stored["device"]["peak_flops_per_second"]["bf16"] == row["figures"]["flops_per_second"]);
  CHECK(stored["full"] == false);
}

TEST_CASE("peak reports unknown options and missing devices") {
  const GpubenchWithStore gpubench;
  const auto unknown = gpubench.run({"peak", "--device", "toaster"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, contains_text("--device: unknown device 'toaster'"));
  const auto missing = gpubench.run({"peak", "--device", "cuda:99"});
  CHECK(missing.exit_code == 4);
  CHECK_THAT(missing.err, contains_text("--device cuda:99"));
  const auto threads = gpubench.run({"peak", "--threads", "-1"});
  CHECK(threads.exit_code == 2);
  CHECK_THAT(threads.err, contains_text("--threads -1"));
  const auto unwritable = gpubench.run(quick({"-o", "/dev/null/peak.json"}));
  CHECK(unwritable.exit_code == 2);
  CHECK_THAT(unwritable.err, contains_text("--output"));
}

}  // namespace gpubench::test::peak_test
