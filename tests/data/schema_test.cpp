// The schema, and with it `gpubench file validate`, must turn away what the tests rely on them to turn away.

#include <nlohmann/json.hpp>

#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_ops.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test::schema_test {
namespace {

using Json = nlohmann::json;

/// A value at a place of the document; without a value, none is there.
struct Value {
  std::string place;
  std::optional<Json> value;
};

struct Change {
  std::vector<Value> values;
  bool is_valid = false;
};

Json changed(Json document, const Change& change) {
  for (const Value& value : change.values) {
    const Json::json_pointer place(value.place);
    if (value.value) {
      document[place] = *value.value;
    } else {
      document.at(place.parent_pointer()).erase(place.back());
    }
  }
  return document;
}

/// What the schema turns away `gpubench validate` turns away too.
void check_changes(const Json& document, const std::vector<Change>& changes) {
  REQUIRE(schema_errors(document).empty());
  for (const Change& change : changes) {
    INFO(change.values.back().place);
    const Json other = changed(document, change);
    CHECK(schema_errors(other).empty() == change.is_valid);
    if (!change.is_valid) CHECK_FALSE(document_faults(sealed(other)).empty());
  }
}

Json peak_measurement() {
  RunRecord run = empty_run();
  run.environment.datasets.clear();
  PeakPoint point{PeakKind::kGemm, "fp32", 1024, 1.434e11};
  point.device = "cuda:0";
  return Json::parse(peak_document({run.tool, run.environment, {point}}));
}

Json selftest() {
  RunRecord run = empty_run();
  run.environment.datasets.clear();
  const CheckRow check{"cuda:0", "losses", "cnn", "losses are right", CheckStatus::kPass, "1e-06 off",
                       1e-6,     1e-4,     {0.5}};
  return Json::parse(selftest_document({run.tool, run.environment, {check}}));
}

}  // namespace

TEST_CASE("the schema of runs turns away what cannot be true") {
  const Json document = Json::parse(run_document(eventful_run()));
  const std::string ok = "/cases/0/";
  const std::string fit = "/cases/3/";
  const std::string skipped = "/cases/5/";
  const std::string crashed = "/cases/6/";
  REQUIRE(document["cases"][5]["status"] == "skipped");
  REQUIRE(document["cases"][6]["status"] == "crashed");
  const std::vector<Change> changes = {
      {{{ok + "median_epoch_seconds", {}}}},
      {{{ok + "batch_size", "128"}}},
      {{{ok + "epoch_seconds/2", -0.01}}},
      {{{ok + "epoch_seconds", Json::array()}}},
      {{{ok + "status", "fine"}}},
      {{{ok + "status", "error"}}},  // It does not say what happened.
      {{{ok + "protocol", "sprint"}}},
      {{{fit + "started_at", "2024-02-03 04:05:07"}}},
      {{{fit + "parameter_checksum", "abc"}}},
      {{{fit + "timeline/0/duration_seconds", -1}}},
      {{{fit + "timeline/0", "build"}}},
      {{{"/environment/datasets/0/files/0/name", "/home/someone/train-images"}}},
      // Null has a reason, and a reason stands beside null.
      {{{ok + "accuracy", nullptr}}},
      {{{ok + "accuracy", nullptr}, {ok + "absent/accuracy", "not measured"}}, true},
      {{{ok + "absent/accuracy", "not measured"}}},
      {{{ok + "absent/memory", {}}}},
      {{{ok + "peak_host_bytes", 1}}},
      {{{ok + "absent/weather", "not looked at"}}},
      // A figure under a name that was not finite.
      {{{ok + "test/loss", nullptr}}, true},
      {{{ok + "test/loss", "low"}}},
      {{{crashed + "warnings/0/figure", {}}}},
      {{{crashed + "warnings/0/figure", nullptr}}},
      {{{crashed + "warnings/0/figure", nullptr},
        {crashed + "warnings/0/absent", Json{{"figure", "unknown"}}}},
       true},
      {{{crashed + "warnings/0", "the device was slowed down by heat"}}},
      {{{fit + "energy/0/scope", "guess"}}},
      {{{fit + "energy/0/coverage", 1.5}}},
      {{{fit + "energy/1/absent", {}}}},
      // A skipped case has a rule, and no other one has.
      {{{skipped + "skip_rule", nullptr}, {skipped + "absent/skip_rule", "not told"}}},
      {{{crashed + "skip_rule", "budget"}, {crashed + "absent/skip_rule", {}}}}};
  check_changes(document, changes);
}

TEST_CASE("the schema of operations turns away what cannot be true") {
  const std::vector<Change> changes = {
      {{{"/operations/0/call_seconds", {}}}},     {{{"/operations/0/call_seconds", Json::array()}}},
      {{{"/operations/0/call_seconds/0", -1.0}}}, {{{"/operations/0/status", "incorrect"}}},
      {{{"/operations/0/type", "fp8"}}},          {{{"/operations/0/error", nullptr}}},
      {{{"/operations/0/colour", "red"}}}};
  check_changes(Json::parse(ops_document(mixed_ops())), changes);
}

TEST_CASE("the schema of peaks turns away what cannot be true") {
  const std::vector<Change> changes = {
      {{{"/points/0/size", 256}}, true},    {{{"/points/0/size", nullptr}}},
      {{{"/points/0/value", -1}}},          {{{"/points/0/value", "fast"}}},
      {{{"/points/0/kind", "guess"}}},      {{{"/points/0/unit", "B/s"}}},
      {{{"/points/0/precision", nullptr}}}, {{{"/points/0/absent", Json{{"value", "but there is one"}}}}},
      {{{"/environment/cpu", {}}}}};
  check_changes(peak_measurement(), changes);
}

TEST_CASE("the schema of selftests turns away what cannot be true") {
  const std::vector<Change> changes = {{{{"/checks/0/subject", "mlp"}}, true},
                                       {{{"/checks/0/status", "maybe"}}},
                                       {{{"/checks/0/message", ""}}},
                                       {{{"/checks/0/duration_seconds", -1}}},
                                       {{{"/checks/0/deviation", nullptr}}},
                                       {{{"/checks/0/remark", "none"}}},
                                       {{{"/environment", {}}}}};
  check_changes(selftest(), changes);
}

}  // namespace gpubench::test::schema_test
