// The real binary: exit codes, stdout, stderr, and the schema of documents.

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test::cli_test {

namespace {

using Json = nlohmann::json;

const std::vector<std::string> kSmoke{"--model",  "mlp", "--max-samples", "48", "--batch", "20",
                                      "--epochs", "2",   "--device",      "cpu"};

std::vector<std::string> smoke(std::vector<std::string> more) {
  more.insert(more.begin(), kSmoke.begin(), kSmoke.end());
  return more;
}

/// Checks for one line on stderr that starts with the program's name, and an empty stdout.
void check_refused(const ProcessResult& result, int exit_code, const std::string& part) {
  CHECK(result.exit_code == exit_code);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, contains_text(part));
  CHECK(result.err.starts_with("gpubench: "));
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
}

void check_valid(const Json& document) {
  for (const std::string& error : schema_errors(document)) {
    INFO(error);
    CHECK(error.empty());
  }
}

}  // namespace

TEST_CASE("a run prints a table and writes a valid, complete result file", "[seam]") {
  Gpubench gpubench;
  const auto result = gpubench.run(smoke({"--model", "mlp,cnn", "-o", "run.json"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("mlp"));
  CHECK_THAT(result.out, contains_text("cnn"));
  CHECK_THAT(result.err, contains_text("result in run.json"));

  const Json document = Json::parse(std::ifstream(gpubench.folder() / "run.json"));
  check_valid(document);
  CHECK(document["schema_version"] == 1);
  REQUIRE(document["results"].size() == 2);
  const Json& row = document["results"][0];
  CHECK(row["asked"]["model"] == "mlp");
  CHECK(row["status"] == "ok");
  CHECK(row["facts"]["steps_per_epoch"] == 3);
  CHECK(row["samples"]["epoch_seconds"].size() == 2);
  CHECK(row["facts"]["parameters"] == 435402);
  const double rate = row["figures"]["samples_per_second"];
  CHECK(rate == approx(48 / row["samples"]["epoch_seconds"][1].get<double>()));
}

TEST_CASE("without --output, each run writes a new file in results/") {
  Gpubench gpubench;
  CHECK(gpubench.run(kSmoke).exit_code == 0);
  CHECK(gpubench.run(kSmoke).exit_code == 0);
  const std::filesystem::directory_iterator files(gpubench.folder() / "results");
  CHECK(std::distance(begin(files), end(files)) == 2);
}

TEST_CASE("unavailable automatic data is replaced by synthetic data, with a message") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_DATA_DIR", (gpubench.folder() / "nothing").string());
  const auto result = gpubench.run(smoke({"--offline", "-o", "run.json"}));
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains_text("uses synthetic data instead"));
  CHECK_THAT(result.out, contains_text("Synthetic"));
  const Json document = Json::parse(std::ifstream(gpubench.folder() / "run.json"));
  check_valid(document);
  CHECK(document["results"][0]["facts"]["synthetic"] == true);
}

TEST_CASE("a named dataset is never replaced: if it is unavailable, the run ends with a data error") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_DATA_DIR", (gpubench.folder() / "nothing").string());
  check_refused(gpubench.run(smoke({"--dataset", "fashion-mnist"})), 3, "gpubench data fetch fashion-mnist");
}

TEST_CASE("a damaged dataset is an error of one line that names the file, without a result file") {
  Gpubench gpubench;
  const auto data = gpubench.folder() / "data";
  std::filesystem::copy(fixtures_dir(), data, std::filesystem::copy_options::recursive);
  const auto images = data / "fashion-mnist" / "train-images-idx3-ubyte.gz";
  std::filesystem::resize_file(images, 1000);
  gpubench.set("GPUBENCH_DATA_DIR", data.string());
  check_refused(gpubench.run(smoke({"--dataset", "fashion-mnist", "-o", "run.json"})), 3,
                "train-images-idx3-ubyte.gz");
  CHECK_FALSE(std::filesystem::exists(gpubench.folder() / "run.json"));
}

TEST_CASE("a model trains on token files in a folder, within its vocabulary") {
  Gpubench gpubench;
  const auto write = [&](const std::string& name, bool has_header, int count) {
    std::string bytes = has_header ? std::string("\x88\xd8\x34\x01\1\0\0\0", 8) : "";
    if (has_header) bytes.append({static_cast<char>(count), 0, 0, 0}).resize(1024);
    for (int i = 0; i < count; ++i) bytes.append({static_cast<char>(i), static_cast<char>(i % 2)});
    std::filesystem::create_directories((gpubench.folder() / name).parent_path());
    std::ofstream(gpubench.folder() / name, std::ios::binary) << bytes;
  };
  write("llm.c/tiny_shakespeare_train.bin", true, 101);
  write("llm.c/tiny_shakespeare_val.bin", true, 50);
  write("nanoGPT/train.bin", false, 101);
  write("nanoGPT/val.bin", false, 50);
  const auto run = [&](const std::string& dataset, const std::string& vocabulary) {
    return gpubench.run({"--model", "gpt2", "--model-arg",
                         "layers=1,heads=2,width=16,context=8,vocabulary=" + vocabulary, "--dataset", dataset,
                         "--max-samples", "16", "--batch", "4", "--epochs", "2", "--device", "cpu", "-o",
                         "run.json", "--force"});
  };
  for (const std::string folder : {"llm.c", "nanoGPT"}) {
    const auto result = run("tokens:" + folder, "358");
    INFO(result.err);
    CHECK(result.exit_code == 0);
    const Json document = Json::parse(std::ifstream(gpubench.folder() / "run.json"));
    check_valid(document);
    const Json& row = document["results"][0];
    CHECK(row["asked"]["dataset"] == "tokens");
    CHECK(row["facts"]["train_samples"] == 12);
    CHECK(row["facts"]["test_samples"] == 6);
    CHECK(document["environment"]["datasets"][0]["files"].size() == 2);
    const auto shared = gpubench.run({"file", "anonymize", "run.json"});
    CHECK_THAT(shared.out, contains_text("tokens") && !contains_text("tokens:"));
  }
  check_refused(run("tokens:llm.c", "355"), 3,
                "has token 355 at position 99, but the model's vocabulary is 355");
  check_refused(run("tokens:nowhere", "355"), 3, "nowhere has no file *train*.bin");
  const auto synthetic = run("auto", "40");  // No dataset has so few words.
  CHECK(synthetic.exit_code == 0);
  CHECK_THAT(synthetic.err, contains_text("tokens: uses synthetic data instead"));
}

TEST_CASE("a classifier trains on images whose folders are the classes") {
  Gpubench gpubench;
  for (const std::string name : {"cat", "dog"}) {
    std::filesystem::create_directories(gpubench.folder() / "pets" / name);
    std::filesystem::copy(source_dir() + "/tests/fuzz/corpus/picture/plain.jpg",
                          gpubench.folder() / "pets" / name / "1.jpg");
  }
  const auto result = gpubench.run({"--model", "cnn0", "--dataset", "images:pets", "--batch", "2", "--epochs",
                                    "2", "--device", "cpu", "-o", "run.json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains_text("images: 2 user images in 2 classes"));
  const Json document = Json::parse(std::ifstream(gpubench.folder() / "run.json"));
  CHECK(document["results"][0]["asked"]["dataset"] == "images");
  CHECK(document["results"][0]["facts"]["train_samples"] == 2);
}

TEST_CASE("usage errors are one line with exit code 2") {
  Gpubench gpubench;
  check_refused(gpubench.run({"--model", "cn"}), 2, "did you mean 'cnn'?");
  check_refused(gpubench.run({"--dataset", "fashion"}), 2, "unknown dataset 'fashion'");
  check_refused(gpubench.run({"--batch", "0"}), 2, "--batch 0");
  check_refused(gpubench.run({"--epochs", "2", "--warmup", "2"}), 2, "--warmup 2");
  check_refused(gpubench.run({"--device", "gpu"}), 2, "unknown device 'gpu'");
  check_refused(gpubench.run({"--device", "cuda:x"}), 2, "--device cuda:x: unknown device");
  check_refused(gpubench.run({"--colour"}), 2, "unknown option '--colour'; see");
  check_refused(gpubench.run({"shwo", "--help"}), 2, "unknown command 'shwo'; did you mean 'show'?");
  check_refused(gpubench.run({"list", "modles"}), 2, "did you mean 'models'?");
  check_refused(gpubench.run({"data", "verify", "minst"}), 2, "unknown dataset 'minst'");
}

TEST_CASE("a missing device is exit code 4 with a remedy") {
  Gpubench gpubench;
  check_refused(gpubench.run({"--device", "cuda:77"}), 4, "--device cuda:77");
  check_refused(gpubench.run({"--device", "cpu:1"}), 4, "this machine has cpu");
}

TEST_CASE("a diverged case is a row of a valid document, and the exit code is 5", "[seam]") {
  Gpubench gpubench;
  const auto result = gpubench.run(smoke({"--learning-rate", "1e38", "-o", "run.json"}));
  CHECK(result.exit_code == 5);
  CHECK_THAT(result.out, contains_text("diverged"));
  const Json document = Json::parse(std::ifstream(gpubench.folder() / "run.json"));
  check_valid(document);
  CHECK(document["results"][0]["status"] == "diverged");
}

}  // namespace gpubench::test::cli_test
