// The schema must turn away what the tests rely on it to turn away.

#include <nlohmann/json.hpp>

#include "gpubench/report_writer.h"
#include "support/catch.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test {
namespace {

using Json = nlohmann::json;

Json valid_document() { return Json::parse(report_formats().require("json", "format").render(mixed_run())); }

bool is_valid(const Json& document) { return schema_errors(document).empty(); }

}  // namespace

TEST_CASE("the schema turns away a document that is no result") {
  CHECK(is_valid(valid_document()));
  CHECK_FALSE(is_valid(Json::array()));
  CHECK_FALSE(is_valid(Json("text")));
  CHECK_FALSE(is_valid(Json::object()));
}

TEST_CASE("the schema turns away another version and unknown keys") {
  Json document = valid_document();
  document["schema_version"] = 2;
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
  document["cases"][0]["batch"] = "128";
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away null without a reason and a reason without null") {
  Json document = valid_document();
  document["cases"][0]["accuracy"] = nullptr;
  CHECK_FALSE(is_valid(document));
  document["cases"][0]["accuracy_reason"] = "not measured";
  CHECK(is_valid(document));

  document["cases"][0]["accuracy"] = 0.5;
  CHECK_FALSE(is_valid(document));
}

TEST_CASE("the schema turns away a null figure of a named group without a reason") {
  Json document = valid_document();
  document["cases"][0]["test"]["loss"] = nullptr;
  CHECK_FALSE(is_valid(document));
  document["cases"][0]["test"]["loss_reason"] = "not a finite number";
  CHECK(is_valid(document));
}

TEST_CASE("the schema turns away negative durations but for the start-up") {
  Json document = valid_document();
  document["cases"][0]["startup_seconds"] = -0.01;
  CHECK(is_valid(document));
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

}  // namespace gpubench::test
