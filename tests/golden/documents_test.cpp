// What makes a document one to trust: its checksum, and values that follow from each other.

#include "golden/golden_text.h"
#include "record/check/document_check.h"
#include "record/document/document_file.h"
#include "record/document/json.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/sample_runs.h"
#include "support/warnings.h"

namespace gpubench::test {
namespace {

using Faults = std::vector<std::string>;

Json document_of(const RunRecord& run) { return parse_document(run_document(run)); }

/// The checksum is made right again, so that only the other fault is left.
Faults faults_of_sealed(const Json& document) { return document_faults(sealed(document)); }

std::filesystem::path fixture(const std::string& name) { return fixtures_dir() + "/results/" + name; }

}  // namespace

TEST_CASE("every document that gpubench writes has the checksum of its content and no fault") {
  for (const RunRecord& run : {empty_run(), mixed_run(), eventful_run(), reticent_run(), hostile_run()}) {
    const Json document = document_of(run);
    CHECK(document.at("content_sha256") == content_hash(document));
    CHECK(document_faults(document) == Faults());
  }
}

TEST_CASE("the checksum does not depend on order, layout or notation, but on every value") {
  const std::string hash = content_hash(parse_document(R"({"b": [1, 0.5], "a": {"x": null}})"));
  CHECK(hash == content_hash(parse_document(R"({"a":{"x":null},"b":[1.0,5e-1],"content_sha256":"old"})")));
  CHECK(hash != content_hash(parse_document(R"({"a":{"x":null},"b":[1,0.50000001]})")));
  CHECK(hash != content_hash(parse_document(R"({"a":{"x":null},"b":["1",0.5]})")));
}

TEST_CASE("a document that was changed is told from its checksum") {
  Json document = document_of(mixed_run());
  document["environment"]["cpu"] = "a faster one";
  const Faults faults = document_faults(document);
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], contains_text("content_sha256: is not that of the content"));
}

TEST_CASE("derived values that do not follow from the raw ones are named") {
  Json document = document_of(eventful_run());
  document["repeats"][0]["median_seconds"] = 0.25;
  Faults faults = faults_of_sealed(document);
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], contains_text("repeats[0].median_seconds: 0.25 is stated, but "));

  document = document_of(mixed_run());
  const double median = document["cases"][0]["median_epoch_seconds"].get<double>();
  document["cases"][0]["median_epoch_seconds"] = median * (1 + 1e-12);
  CHECK(faults_of_sealed(document) == Faults());
  document["cases"][0]["median_epoch_seconds"] = median * (1 + 1e-6);
  faults = faults_of_sealed(document);
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], contains_text("cases[0].median_epoch_seconds: "));
}

TEST_CASE("an interval of an older program's estimate is no fault where the median is in it") {
  Json document = document_of(mixed_run());
  Json& row = document["cases"][0];
  row["median_epoch_low_seconds"] = 0.9 * row["median_epoch_seconds"].get<double>();
  row["median_epoch_halfwidth"] = 0.5;
  CHECK(faults_of_sealed(document) == Faults());
  row["median_epoch_low_seconds"] = 1.1 * row["median_epoch_seconds"].get<double>();
  const Faults faults = faults_of_sealed(document);
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], contains_text("cases[0].median_epoch_low_seconds: "));
}

TEST_CASE("an epoch whose time is no number leaves no statistic of the case") {
  Json document = run_to_json(mixed_run());
  document["cases"][0]["epoch_seconds"] = Json(std::vector<double>(50, 1e308));
  document["cases"][1] = document["cases"][0];
  document["cases"][1]["epoch_seconds"][7] = nullptr;
  const Json again = run_to_json(run_from_json(document));
  for (const std::size_t i : {0u, 1u}) {
    CHECK(again["cases"][i]["median_epoch_seconds"].is_null());
    CHECK(again["cases"][i]["epoch_slope"].is_null());
    CHECK(again["cases"][i]["outlier_epochs"].empty());
  }
}

TEST_CASE("faults of a document of any shape are told and not thrown") {
  CHECK(document_faults(Json::array()).size() == 1);
  CHECK(document_faults({{"schema_version", "two"}}).size() == 1);
  CHECK_FALSE(document_faults({{"schema_version", 2}}).empty());
  CHECK_FALSE(document_faults({{"schema_version", 3}}).empty());
  CHECK_FALSE(document_faults({{"schema_version", 2}, {"points", 1}}).empty());
}

TEST_CASE("a document of version 1 has no checksum and is valid without") {
  for (const std::string name : {"alpha-cpu.json", "beta-cuda.json", "hostile.json"}) {
    const Json document = read_document(fixture(name));
    CHECK(schema_faults(document, schema_of(document)) == Faults());
    CHECK_FALSE(document.contains("content_sha256"));
  }
}

TEST_CASE("a run of version 2 is valid, and becomes one of the newest version without a loss") {
  const Json document = read_document(fixture("eventful-v2.json"));
  CHECK(document_faults(document) == Faults());
  RunRecord expected = eventful_run();
  keep_texts_alone(expected.cases);
  for (CaseRecord& row : expected.cases) {
    row.peak_source = {};
    row.process_start = row.context = {};
  }
  CHECK(run_document(run_from_json(document)) == run_document(expected));
}

TEST_CASE("a run of version 1 becomes one of the newest version as agreed") {
  const std::string migrated = run_document(read_run_file(fixture("hostile.json")));
  check_golden("migrated.json", migrated);
  CHECK(document_faults(parse_document(migrated)) == Faults());
}

}  // namespace gpubench::test
