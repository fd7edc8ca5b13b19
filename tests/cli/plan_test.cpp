// Suites, estimates, budgets and searches, with the real binary and LibTorch.

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/schema.h"

namespace gpubench::test::plan_test {

namespace {

using Json = nlohmann::json;

Json document_in(const Gpubench& gpubench, const std::string& name) {
  const Json document = Json::parse(std::ifstream(gpubench.folder() / name));
  for (const std::string& error : schema_errors(document)) {
    INFO(error);
    CHECK(error.empty());
  }
  return document;
}

}  // namespace

TEST_CASE("a suite runs all of its cases, and options override its values") {
  Gpubench gpubench;
  const auto result = gpubench.run(
      {"suite", "smoke", "--device", "cpu", "--max-samples", "32", "--epochs", "2", "-o", "run.json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json document = document_in(gpubench, "run.json");
  CHECK(document["plan"]["suite"] == "smoke");
  CHECK(document["results"].size() == 9);
  for (const Json& row : document["results"]) {
    CHECK(row["status"] == "ok");
    CHECK(row["facts"]["train_samples"] == 32);
    CHECK(row["asked"]["epochs"] == 2);
  }
}

TEST_CASE("each repeat is a row", "[seam]") {
  Gpubench gpubench;
  CHECK(gpubench
            .run({"--model", "mlp", "--batch", "16,32", "--max-samples", "64", "--epochs", "4", "--repeat",
                  "3", "--device", "cpu", "-o", "run.json"})
            .exit_code == 0);
  const Json document = document_in(gpubench, "run.json");
  CHECK(document["results"].size() == 6);
  // Processes are independent, yet the results are equal: no state leaks between cases.
  CHECK(document["results"][0]["facts"]["parameter_checksum"] ==
        document["results"][1]["facts"]["parameter_checksum"]);
  CHECK(document["results"][0]["facts"]["parameter_checksum"] !=
        document["results"][3]["facts"]["parameter_checksum"]);
}

TEST_CASE("a layout trial does not warm up the process of the case") {
  const Gpubench gpubench;
  const auto run = [&](const std::string& name, const std::vector<std::string>& store) {
    std::vector<std::string> words{"--model",  "cnn", "--batch", "16", "--max-samples", "32", "--epochs", "2",
                                   "--device", "cpu", "-o",      name};
    words.insert(words.end(), store.begin(), store.end());
    const auto result = gpubench.run(words);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return document_in(gpubench, name);
  };
  const auto layout_note = [](const Json& document) {
    return document["results"][0]["facts"]["layout_note"].get<std::string>();
  };
  const auto phases = [](const Json& document) {
    std::vector<std::string> names;
    for (const Json& phase : document["results"][0]["samples"]["timeline"]) names.push_back(phase["name"]);
    return names;
  };
  const std::vector<std::string> store{"--store", (gpubench.folder() / "store.sqlite").string()};
  const Json fresh = run("fresh.json", store);
  const Json filled = run("filled.json", store);
  CHECK(phases(fresh) == phases(filled));
  CHECK(phases(fresh).front() == "build");
  CHECK_THAT(layout_note(fresh), contains_text("ms per step in a trial"));
  CHECK(layout_note(fresh) == layout_note(filled));
  const Json alone = run("alone.json", {"--no-store"});
  CHECK(phases(alone) == phases(fresh));
  CHECK_THAT(layout_note(alone), contains_text("ms per step in a trial"));
}

TEST_CASE("three runs complete the peak in the store, and --no-store measures it again") {
  const Gpubench gpubench;
  const auto peak = [&](const std::vector<std::string>& store) {
    std::vector<std::string> words{"--model", "mlp", "--max-samples", "32",     "--epochs", "2", "--device",
                                   "cpu",     "-o",  "run.json",      "--force"};
    words.insert(words.end(), store.begin(), store.end());
    const auto result = gpubench.run(words);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return document_in(gpubench, "run.json")["environment"]["devices"][0];
  };
  const std::vector<std::string> store{"--store", (gpubench.folder() / "store.sqlite").string()};
  peak(store);
  peak(store);
  const Json third = peak(store);
  CHECK(peak(store)["copy_bytes_per_second"] == third["copy_bytes_per_second"]);
  CHECK(peak({"--no-store"})["copy_bytes_per_second"] != third["copy_bytes_per_second"]);
}

TEST_CASE("a dry run estimates the time of each case, and writes no file") {
  Gpubench gpubench;
  const auto result = gpubench.run({"suite", "s0", "--device", "cpu", "--max-samples", "64", "--dry-run"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("12 rows, at least"));
  CHECK_THAT(result.out, contains_text("The estimate assumes the peaks of the device"));
  CHECK(result.err.find("trying") == std::string::npos);
  CHECK(std::filesystem::is_empty(gpubench.folder()));

  const auto ranks =
      gpubench.run({"--model", "mlp", "--dataset", "synthetic", "--device", "cpu", "--world-size", "1,2",
                    "--precision", "fp32,bf16", "--max-samples", "64", "--dry-run"});
  CHECK(ranks.exit_code == 0);
  CHECK_THAT(ranks.out, contains_text("\nmlp on cpu, bf16 "));
  CHECK_THAT(ranks.out,
             contains_text("time of mlp on cpu unknown: exchanges between ranks are not estimated"));
  CHECK_THAT(ranks.out, contains_text("time of mlp on cpu, bf16 unknown: "));
}

TEST_CASE("a case that does not fit the budget is a skipped row with the reason", "[seam]") {
  Gpubench gpubench;
  std::ofstream(gpubench.folder() / "uneven.json")
      << R"({"groups": [{"model": "mlp", "max_samples": 32, "epochs": 2, "dataset": "synthetic"},
                        {"model": "cnn3", "max_samples": 2000, "epochs": 100000, "dataset": "synthetic"}]})";
  Json document;
  // Even a busy machine can run the small case; no machine can run the large one in time.
  for (int budget = 25; budget < 400 && document["results"][0]["status"] != "ok"; budget *= 3) {
    const auto result = gpubench.run({"suite", "uneven.json", "--device", "cpu", "--budget",
                                      std::to_string(budget), "-o", "run.json", "--force"});
    INFO(result.err);
    CHECK(result.exit_code == 5);
    document = document_in(gpubench, "run.json");
    CHECK(document["plan"]["budget_seconds"] == budget);
  }
  CHECK(document["results"][0]["status"] == "ok");
  CHECK(document["results"][1]["status"] == "skipped");
  CHECK(document["results"][1]["skip_rule"] == "budget");
  // The remaining time is spent on repeats of the finished case.
  for (std::size_t i = 2; i < document["results"].size(); ++i) {
    CHECK(document["results"][i]["asked"]["model"] == "mlp");
    CHECK(document["results"][i]["asked"]["repeat"] == i);
  }
}

TEST_CASE("sizes of --model-arg apply to the network, also the length of sequences") {
  Gpubench gpubench;
  const auto result = gpubench.run(
      {"--model", "transformer_lm", "--model-arg", "bptt=10,embedding=8,layers=1", "--dataset", "synthetic",
       "--max-samples", "16", "--batch", "8", "--epochs", "2", "--device", "cpu", "-o", "sizes.json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json row = document_in(gpubench, "sizes.json")["results"][0];
  CHECK(row["asked"]["sizes"] == "embedding=8,layers=1,bptt=10");
  CHECK(row["facts"]["tokens_per_sample"] == 10);
  // Per token: projections and attention, two dense layers, and the output layer.
  constexpr int kPerToken = 4 * 8 * 8 + 2 * 10 * 8 + 2 * 8 * 200 + 8 * 33278;
  CHECK(row["facts"]["forward_macs"] == 10 * kPerToken);
}

TEST_CASE("--batch max finds the largest batch within the memory limit") {
  Gpubench gpubench;
  const auto result = gpubench.run({"--model", "cnn", "--dataset", "synthetic", "--max-samples", "8000",
                                    "--batch", "max", "--device", "cpu", "--memory-limit", "300M"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text(": oom: "));
  CHECK(std::filesystem::is_empty(gpubench.folder()));
}

TEST_CASE("--batch max is an error in lists, suites and ab") {
  const Gpubench gpubench;
  std::ofstream(gpubench.folder() / "most.json") << R"({"groups": [{"model": "mlp", "batch_size": "max"}]})";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--batch", "32,max"},
                                                {"suite", "most.json"},
                                                {"suite", "quick", "--batch", "max"},
                                                {"ab", "--batch", "max", "--vs", "--threads", "1"}}) {
    const auto result = gpubench.run(words);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text("--batch max: "));
  }
}

TEST_CASE("with --target-ci, the number of epochs depends on their spread") {
  Gpubench gpubench;
  CHECK(gpubench
            .run({"--model", "mlp", "--max-samples", "64", "--target-ci", "0.5", "--epochs", "5..30",
                  "--device", "cpu", "-o", "run.json"})
            .exit_code == 0);
  const Json row = document_in(gpubench, "run.json")["results"][0];
  CHECK(row["samples"]["epoch_seconds"].size() >= 5);
  CHECK(row["samples"]["epoch_seconds"].size() <= 30);
  CHECK((row["facts"]["stopped_by"] == "target-ci" || row["facts"]["stopped_by"] == "max-epochs"));
}

}  // namespace gpubench::test::plan_test
