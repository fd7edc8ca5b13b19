// Documents that `gpubench file validate` and the schema refuse.

#include <nlohmann/json.hpp>

#include "gpubench/record/field_table.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test::schema_test {
namespace {

using Json = nlohmann::json;

Json make_document(const RunRecord& run) { return Json::parse(run_document(run)); }

Json valid_document() { return make_document(mixed_run()); }

/// Returns the row of `eventful_run` with this status.
Json& case_with(Json& document, const std::string& status) {
  for (Json& record : document["results"]) {
    if (record["status"] == status) return record;
  }
  FAIL("no row is " << status);
  return document;
}

/// Checks by `file validate`, whose rules include those of the schema.
bool is_valid(const Json& document) {
  const bool is_valid =
      document_faults(document.is_object() ? sealed(document) : gpubench::Json(document)).empty();
  if (is_valid) CHECK(schema_errors(document) == std::vector<std::string>());
  return is_valid;
}

bool is_valid_by_schema(const Json& document) { return schema_errors(document).empty(); }

}  // namespace

TEST_CASE("validate refuses a document that is not a result") {
  CHECK(is_valid(valid_document()));
  for (const Json& other : {Json(Json::array()), Json("text"), Json(Json::object())}) {
    CHECK_FALSE(is_valid(other));
    CHECK_FALSE(is_valid_by_schema(other));
  }
}

TEST_CASE("validate refuses another version and unknown keys") {
  Json document = valid_document();
  document["schema_version"] = 4;
  CHECK_FALSE(is_valid_by_schema(document));

  document = valid_document();
  document["results"][0]["samples"]["epoch_secs"] = 1;
  CHECK_FALSE(is_valid(document));
  CHECK_FALSE(is_valid_by_schema(document));
}

TEST_CASE("validate refuses a missing field and one of another type") {
  Json document = valid_document();
  document["results"][0]["figures"].erase("median_epoch_seconds");
  CHECK_FALSE(is_valid(document));
  CHECK_FALSE(is_valid_by_schema(document));

  document = valid_document();
  document["results"][0]["asked"]["batch_size"] = "128";
  CHECK_FALSE(is_valid(document));
  CHECK_FALSE(is_valid_by_schema(document));
}

TEST_CASE("validate refuses null without a reason and a reason without null") {
  Json document = valid_document();
  document["results"][0]["facts"]["parameters"] = nullptr;
  CHECK_FALSE(is_valid(document));
  document["results"][0]["missing"]["parameters"] = "not measured";
  CHECK(is_valid(document));

  document["results"][0]["facts"]["parameters"] = 5;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the reason of a group requires that all its values are null") {
  Json document = valid_document();
  Json& reasons = document["missing"];
  REQUIRE(reasons.contains("memory"));
  reasons.erase("memory");
  CHECK_FALSE(is_valid(document));
  reasons["memory"] = "not measured";
  document["results"][0]["facts"]["peak_host_bytes"] = 1;
  CHECK_FALSE(is_valid(document));
  document = valid_document();
  document["results"][0]["missing"]["weather"] = "not looked at";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("a named value is a number, or null if it was not finite") {
  Json document = valid_document();
  document["results"][0]["facts"]["test"]["loss"] = nullptr;
  CHECK(is_valid(document));
  document["results"][0]["facts"]["test"]["loss"] = "low";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses a warning that is a text, and a missing figure without a reason") {
  Json document = make_document(eventful_run());
  Json& warnings = case_with(document, "crashed")["warnings"];
  REQUIRE(warnings.size() == 1);
  CHECK(is_valid(document));
  warnings[0]["figure"] = nullptr;
  CHECK_FALSE(is_valid(document));
  warnings[0] = "the device was slowed down by heat";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses negative durations") {
  Json document = valid_document();
  document["results"][0]["samples"]["epoch_seconds"][2] = -0.01;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses an unknown status and an ok case without an epoch") {
  Json document = valid_document();
  document["results"][0]["status"] = "fine";
  CHECK_FALSE(is_valid(document));

  document = valid_document();
  document["results"][0]["samples"]["epoch_seconds"] = Json::array();
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses a failed case without a status message") {
  Json document = valid_document();
  document["results"][0]["status"] = "error";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses data files with a folder in the name") {
  Json document = valid_document();
  document["environment"]["datasets"][0]["files"][0]["name"] = "/home/someone/train-images";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses an impossible power source") {
  Json document = make_document(eventful_run());
  REQUIRE(is_valid(document));
  document["results"][3]["energy"][0]["scope"] = "guess";
  CHECK_FALSE(is_valid(document));
  document = make_document(eventful_run());
  document["results"][3]["energy"][1].erase("missing");
  CHECK_FALSE(is_valid(document));
  document = make_document(eventful_run());
  document["results"][3]["energy"][0]["coverage"] = 1.5;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses a skipped case without a rule, and a rule for another status") {
  Json document = make_document(eventful_run());
  Json& skipped = case_with(document, "skipped");
  skipped.erase("skip_rule");
  CHECK_FALSE(is_valid(document));

  document = make_document(eventful_run());
  Json& crashed = case_with(document, "crashed");
  crashed["skip_rule"] = "budget";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses an unknown protocol and an invalid phase") {
  Json document = make_document(eventful_run());
  document["results"][0]["asked"]["protocol"] = "sprint";
  CHECK_FALSE(is_valid(document));

  document = make_document(eventful_run());
  document["results"][3]["samples"]["timeline"][0]["duration_seconds"] = -1;
  CHECK_FALSE(is_valid(document));
  document["results"][3]["samples"]["timeline"][0] = "build";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("validate refuses a time without milliseconds and an invalid checksum") {
  Json document = make_document(eventful_run());
  document["results"][3]["facts"]["started_at"] = "2024-02-03 04:05:07";
  CHECK_FALSE(is_valid(document));

  document = make_document(eventful_run());
  document["results"][3]["facts"]["parameter_checksum"] = "abc";
  CHECK_FALSE(is_valid(document));
}

}  // namespace gpubench::test::schema_test
