#include "app/run/device_reports.h"

#include <nlohmann/json.hpp>

#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test::peak_report_test {

using Json = nlohmann::json;

namespace {

std::vector<PeakPoint> some_points() {
  std::vector<PeakPoint> points{
      {PeakKind::kGemm, "fp32", 1024, 1.434e11},
      {PeakKind::kGemm, "fp32", 2048, 1.2e11},
      {PeakKind::kGemm, "tf32", 0, missing("TF32 changes no product on this device")},
      {PeakKind::kConvolution, "fp32", 1024, 1.5e11},
      {PeakKind::kTriad, "", 1 << 28, 2.34e10},
      {PeakKind::kLaunch, "", 1000, 2.1e-6}};
  for (PeakPoint& point : points) point.device = "cuda:0";
  return points;
}

std::string some_document() {
  RunRecord run = empty_run();
  run.environment.datasets.clear();
  return peak_document({run.tool, run.environment, some_points()});
}

}  // namespace

TEST_CASE("the peak document follows its schema, and lists every point") {
  const Json document = Json::parse(some_document());
  CHECK(schema_errors(document) == std::vector<std::string>());
  REQUIRE(document["results"].size() == 6);
  CHECK(document["results"][0] ==
        Json{{"workload", "peak"},
             {"status", "ok"},
             {"asked", {{"device", "cuda:0"}, {"kind", "gemm"}, {"precision", "fp32"}, {"size", 1024}}},
             {"facts", {{"value", 1.434e11}, {"unit", "FLOP/s"}}}});
  CHECK(document["results"][2]["facts"]["value"].is_null());
  CHECK(document["results"][2]["missing"]["value"] == "TF32 changes no product on this device");
}

TEST_CASE("validate turns away peaks that cannot be true") {
  const Json valid = Json::parse(some_document());
  const auto is_valid_with = [&](const Json& patch) {
    Json document = valid;
    document["results"][0].merge_patch(patch);
    return document_faults(sealed(document)).empty();
  };
  CHECK(is_valid_with({{"asked", {{"size", 512}}}}));
  CHECK_FALSE(is_valid_with({{"asked", {{"size", nullptr}}}}));
  CHECK_FALSE(is_valid_with({{"facts", {{"value", -1}}}}));
  CHECK_FALSE(is_valid_with({{"facts", {{"value", "fast"}}}}));
  CHECK_FALSE(is_valid_with({{"asked", {{"kind", "guess"}}}}));
  CHECK_FALSE(is_valid_with({{"facts", {{"unit", "B/s"}}}}));
  CHECK_FALSE(is_valid_with({{"asked", {{"precision", nullptr}}}}));
  CHECK_FALSE(is_valid_with({{"missing", {{"value", "but there is one"}}}}));
  Json document = valid;
  document["environment"].erase("cpu");
  CHECK_FALSE(document_faults(sealed(document)).empty());
}

TEST_CASE("the peak table has a line for each figure, with the size or the reason") {
  CHECK(peak_table(some_points()) ==
        "device  what                           best  at\n"
        "cuda:0  matrix product fp32     143 GFLOP/s  1024 x 1024\n"
        "cuda:0  matrix product tf32               -  TF32 changes no product on this device\n"
        "cuda:0  convolution fp32        150 GFLOP/s  1024 channels\n"
        "cuda:0  memory triad              23.4 GB/s  arrays of 256 MiB\n"
        "cuda:0  launch of an operation      2.10 µs\n");
}

}  // namespace gpubench::test::peak_report_test
