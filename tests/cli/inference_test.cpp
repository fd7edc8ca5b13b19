// `gpubench infer`: the options, the figures, and the commands that read its files.

#include "gpubench/core/collect.h"
#include "gpubench_process.h"
#include "record/document/json.h"
#include "support/catch.h"

namespace gpubench::test::inference_test {
namespace {

/// Runs on little synthetic data and returns the rows.
Json run(Gpubench& gpubench, const std::string& file, std::vector<std::string> words) {
  append(words, std::vector<std::string>{"--dataset", "synthetic", "--max-samples", "64", "--epochs", "3",
                                         "--meter", "none", "-o", file});
  const auto result = gpubench.run(words);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return Json::parse(to_text(gpubench.folder() / file))["results"];
}

}  // namespace

TEST_CASE("infer measures throughput and latency of models of every kind") {
  Gpubench gpubench;
  const Json rows = run(gpubench, "a.json",
                        {"infer", "--model", "cnn,lstm,siamese,vae", "--scenario", "offline,single-stream",
                         "--precision", "fp32,amp-bf16"});
  REQUIRE(rows.size() == 16);
  for (const Json& row : rows) {
    INFO(row.dump());
    CHECK(row["workload"] == "infer");
    CHECK(row["status"] == "ok");
    CHECK(row["figures"]["samples_per_second"] > 0);
    CHECK(row["facts"]["trained_steps"] == 0);
    if (row["asked"]["protocol"] == "offline") continue;
    CHECK(row["asked"]["batch_size"] == 1);
    CHECK(row["figures"]["p50_latency_seconds"] <= row["figures"]["p90_latency_seconds"]);
    CHECK(row["figures"]["p90_latency_seconds"] <= row["figures"]["p99_latency_seconds"]);
  }
}

TEST_CASE("inference compares with inference, not with training") {
  Gpubench gpubench;
  run(gpubench, "a.json", {"infer", "--model", "mlp"});
  run(gpubench, "b.json", {"infer", "--model", "mlp", "--threads", "1"});
  run(gpubench, "train.json", {"--model", "mlp"});
  CHECK_THAT(gpubench.run({"compare", "a.json", "b.json"}).out, contains_text("mlp"));
  const auto refused = gpubench.run({"compare", "a.json", "train.json"});
  INFO(refused.out << refused.err);
  CHECK_THAT(refused.out + refused.err, contains_text("workload: a infer, train train"));
  CHECK_THAT(gpubench.run({"history", "list"}).out, contains_text("offline"));
}

TEST_CASE("options without effect on inference are refused") {
  Gpubench gpubench;
  const auto message = [&](const std::vector<std::string>& words) {
    const auto result = gpubench.run(words);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(message({"infer", "--learning-rate", "1"}), contains_text("unknown option '--learning-rate'"));
  CHECK_THAT(message({"train", "--protocol", "offline", "--accumulate", "2"}),
             contains_text("--accumulate: has no effect on protocol offline"));
  CHECK_THAT(message({"infer", "--scenario", "fit"}), contains_text("belongs to 'gpubench train'"));
  CHECK_THAT(message({"infer", "--scenario", "single-stream", "--batch", "max"}),
             contains_text("single-stream has no batches"));
  for (const auto& [name, value] : std::map<std::string, std::string>{{"RANK", "0"},
                                                                      {"LOCAL_RANK", "0"},
                                                                      {"WORLD_SIZE", "2"},
                                                                      {"LOCAL_WORLD_SIZE", "2"},
                                                                      {"MASTER_ADDR", "127.0.0.1"},
                                                                      {"MASTER_PORT", "1"}})
    gpubench.set(name, value);
  CHECK_THAT(message({"infer", "--model", "mlp", "--device", "cpu"}),
             contains_text("infer: runs in one process, not in 2; start it without the launcher"));
}

}  // namespace gpubench::test::inference_test
