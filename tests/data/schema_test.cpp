// The schema, and with it `gpubench file validate`, must turn away what the tests rely on them to turn away.

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

/// A row of `eventful_run` with that status.
Json& case_with(Json& document, const std::string& status) {
  for (Json& record : document["cases"]) {
    if (record["status"] == status) return record;
  }
  FAIL("no row is " << status);
  return document;
}

bool is_valid(const Json& document) {
  const bool is_valid_by_schema = schema_errors(document).empty();
  if (!is_valid_by_schema)
    CHECK_FALSE(document_faults(document.is_object() ? sealed(document) : gpubench::Json(document)).empty());
  return is_valid_by_schema;
}

}  // namespace

TEST_CASE("the schema turns away a document that is no result") {
  CHECK(is_valid(valid_document()));
  CHECK_FALSE(is_valid(Json::array()));
  CHECK_FALSE(is_valid(Json("text")));
  CHECK_FALSE(is_valid(Json::object()));
}

TEST_CASE("the schema turns away another version and unknown keys") {
  Json document = valid_document();
  document["schema_version"] = 4;
  CHECK_FALSE(is_valid(document));

  document = valid_document();
  document["cases"][0]["epoch_secs"] = 1;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away a missing field and one of another type") {
  Json document = valid_document();
  document["cases"][0].erase("median_epoch_seconds");
  CHECK_FALSE(is_valid(document));

  document = valid_document();
  document["cases"][0]["batch_size"] = "128";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away null without a reason and a reason without null") {
  Json document = valid_document();
  document["cases"][0]["accuracy"] = nullptr;
  CHECK_FALSE(is_valid(document));
  document["cases"][0]["absent"]["accuracy"] = "not measured";
  CHECK(is_valid(document));

  document["cases"][0]["accuracy"] = 0.5;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("a reason stands for a whole group, and then none of that has a value") {
  Json document = valid_document();
  Json& reasons = document["cases"][0]["absent"];
  REQUIRE(reasons.contains("memory"));
  reasons.erase("memory");
  CHECK_FALSE(is_valid(document));
  reasons["memory"] = "not measured";
  document["cases"][0]["peak_host_bytes"] = 1;
  CHECK_FALSE(is_valid(document));
  document = valid_document();
  document["cases"][0]["absent"]["weather"] = "not looked at";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("a figure under a name is a number, or null where it was not finite") {
  Json document = valid_document();
  document["cases"][0]["test"]["loss"] = nullptr;
  CHECK(is_valid(document));
  document["cases"][0]["test"]["loss"] = "low";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away a warning that is a text, and a figure that neither is nor says why not") {
  Json document = make_document(eventful_run());
  Json& warnings = case_with(document, "crashed")["warnings"];
  REQUIRE(warnings.size() == 1);
  CHECK(is_valid(document));
  warnings[0].erase("figure");
  CHECK_FALSE(is_valid(document));
  warnings[0]["figure"] = nullptr;
  CHECK_FALSE(is_valid(document));
  warnings[0]["absent"] = {{"figure", "unknown"}};
  CHECK(is_valid(document));
  warnings[0] = "the device was slowed down by heat";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away negative durations") {
  Json document = valid_document();
  document["cases"][0]["epoch_seconds"][2] = -0.01;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away an unknown status and an ok case without an epoch") {
  Json document = valid_document();
  document["cases"][0]["status"] = "fine";
  CHECK_FALSE(is_valid(document));

  document = valid_document();
  document["cases"][0]["epoch_seconds"] = Json::array();
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away a failed case that does not say what happened") {
  Json document = valid_document();
  document["cases"][0]["status"] = "error";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away data files that are named with their folder") {
  Json document = valid_document();
  document["environment"]["datasets"][0]["files"][0]["name"] = "/home/someone/train-images";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away a source of power that cannot be") {
  Json document = make_document(eventful_run());
  REQUIRE(is_valid(document));
  document["cases"][3]["energy"][0]["scope"] = "guess";
  CHECK_FALSE(is_valid(document));
  document = make_document(eventful_run());
  document["cases"][3]["energy"][1].erase("absent");
  CHECK_FALSE(is_valid(document));
  document = make_document(eventful_run());
  document["cases"][3]["energy"][0]["coverage"] = 1.5;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away a skipped case without its rule, and a rule for another one") {
  Json document = make_document(eventful_run());
  Json& skipped = case_with(document, "skipped");
  skipped["skip_rule"] = nullptr;
  skipped["absent"]["skip_rule"] = "not told";
  CHECK_FALSE(is_valid(document));

  document = make_document(eventful_run());
  Json& crashed = case_with(document, "crashed");
  crashed["skip_rule"] = "budget";
  crashed["absent"].erase("skip_rule");
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away an unknown protocol and a phase that is none") {
  Json document = make_document(eventful_run());
  document["cases"][0]["protocol"] = "sprint";
  CHECK_FALSE(is_valid(document));

  document = make_document(eventful_run());
  document["cases"][3]["timeline"][0]["duration_seconds"] = -1;
  CHECK_FALSE(is_valid(document));
  document["cases"][3]["timeline"][0] = "build";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away a moment without milliseconds and a checksum that is none") {
  Json document = make_document(eventful_run());
  document["cases"][3]["started_at"] = "2024-02-03 04:05:07";
  CHECK_FALSE(is_valid(document));

  document = make_document(eventful_run());
  document["cases"][3]["parameter_checksum"] = "abc";
  CHECK_FALSE(is_valid(document));
}

}  // namespace gpubench::test::schema_test
