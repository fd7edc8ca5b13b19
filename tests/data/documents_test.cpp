// Validation of documents: checksum and derived values.

#include "record/document/json.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test::documents_test {
namespace {

using Faults = std::vector<std::string>;

Json make_document(const RunRecord& run) { return parse_document(run_document(run)); }

/// Returns the faults after correction of the checksum.
Faults faults_of_sealed(const Json& document) { return document_faults(sealed(document)); }

}  // namespace

TEST_CASE("every written document has a correct checksum and no fault") {
  for (const RunRecord& run : {empty_run(), mixed_run(), eventful_run(), reticent_run(), hostile_run()}) {
    const Json document = make_document(run);
    CHECK(document.at("content_sha256") == content_hash(document));
    CHECK(document_faults(document) == Faults());
  }
}

TEST_CASE("the checksum depends on every value, but not on order, layout or notation") {
  const std::string hash = content_hash(parse_document(R"({"b": [1, 0.5], "a": {"x": null}})"));
  CHECK(hash == content_hash(parse_document(R"({"a":{"x":null},"b":[1.0,5e-1],"content_sha256":"old"})")));
  CHECK(hash != content_hash(parse_document(R"({"a":{"x":null},"b":[1,0.50000001]})")));
  CHECK(hash != content_hash(parse_document(R"({"a":{"x":null},"b":["1",0.5]})")));
}

TEST_CASE("wrong derived values are named") {
  Json document = make_document(mixed_run());
  const double median = document["results"][0]["figures"]["median_epoch_seconds"].get<double>();
  document["results"][0]["figures"]["median_epoch_seconds"] = median * (1 + 1e-12);
  CHECK(faults_of_sealed(document) == Faults());
  document["results"][0]["figures"]["median_epoch_seconds"] = median * (1 + 1e-6);
  const Faults faults = faults_of_sealed(document);
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], contains_text("results[0].figures.median_epoch_seconds: "));
}

TEST_CASE("an epoch time of NaN removes all statistics of the case") {
  Json document = run_to_json(mixed_run());
  document["results"][0]["samples"]["epoch_seconds"] = Json(std::vector<double>(50, 1e308));
  document["results"][1] = document["results"][0];
  document["results"][1]["samples"]["epoch_seconds"][7] = nullptr;
  const Json again = run_to_json(run_from_json(document));
  for (const std::size_t i : {0u, 1u}) {
    CHECK(again["results"][i]["figures"]["median_epoch_seconds"].is_null());
    CHECK(again["results"][i]["figures"]["is_stationary"].is_null());
    CHECK_FALSE(again["results"][i]["figures"].contains("outlier_epochs"));
  }
}

TEST_CASE("faults of any document are reported, not thrown") {
  CHECK(document_faults(Json::array()).size() == 1);
  CHECK(document_faults({{"schema_version", "two"}}).size() == 1);
  CHECK_FALSE(document_faults({{"schema_version", 1}}).empty());
  CHECK_FALSE(document_faults({{"schema_version", 1}, {"results", 1}}).empty());
}

TEST_CASE("a document of another version has only that fault") {
  const Faults faults = document_faults({{"schema_version", 3}, {"cases", Json::array()}});
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], contains_text("found 3, but this gpubench reads 1 only"));
}

}  // namespace gpubench::test::documents_test
