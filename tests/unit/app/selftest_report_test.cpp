#include "app/run/device_reports.h"

#include "record/document/json.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test::selftest_report_test {

namespace {

SelftestRecord some_selftest() {
  const RunRecord run = empty_run();
  SelftestRecord record{run.tool, run.environment, {}};
  record.environment.datasets.clear();
  const Missing none = missing("numbers were not compared");
  record.checks = {
      {"cuda:0", "losses", "cnn", "losses are right", CheckStatus::kPass, "1e-06 off", 1e-6, 1e-4, {0.5}},
      {"cuda:0",
       "replay",
       "",
       "replays differ",
       CheckStatus::kUnchecked,
       "graphs need a GPU",
       none,
       none,
       {}},
      {"cuda:0", "energy", "rapl", "it is in watts", CheckStatus::kFail, "80000 W", none, none, {9.5}}};
  return record;
}

using Faults = std::vector<std::string>;

Faults find_faults(const Json& document) { return document_faults(sealed(document)); }

Json make_document(const SelftestRecord& record) { return parse_document(selftest_document(record)); }

}  // namespace

TEST_CASE("the selftest document is valid and is read as it was written") {
  const Json document = make_document(some_selftest());
  CHECK(document_faults(document) == Faults());
  CHECK(document["results"][0]["facts"]["deviation"] == 1e-6);
  CHECK(document["results"][1]["missing"]["comparison"] == "numbers were not compared");
  CHECK(selftest_document(selftest_from_json(document)) == selftest_document(some_selftest()));
}

TEST_CASE("the schema of selftests turns away what cannot be true") {
  const Json valid = make_document(some_selftest());
  const auto is_valid_with = [&](const Json& patch) {
    Json document = valid;
    document["results"][0].merge_patch(patch);
    return find_faults(document).empty();
  };
  CHECK(is_valid_with({{"asked", {{"subject", "mlp"}}}}));
  CHECK_FALSE(is_valid_with({{"status", "maybe"}}));
  CHECK_FALSE(is_valid_with({{"message", ""}}));
  CHECK_FALSE(is_valid_with({{"facts", {{"duration_seconds", -1}}}}));
  CHECK_FALSE(is_valid_with({{"facts", {{"deviation", nullptr}}}}));
  CHECK_FALSE(is_valid_with({{"remark", "none"}}));
  Json document = valid;
  document.erase("environment");
  CHECK_FALSE(find_faults(document).empty());
}

TEST_CASE("a document that is no selftest is refused as one") {
  CHECK_THROWS_WITH(selftest_from_json(parse_document(run_document(empty_run()))),
                    contains_text("is a run; this command needs a selftest"));
}

TEST_CASE("the selftest table has a line for each check, and how many ended how") {
  CHECK(selftest_table(some_selftest().checks) ==
        "      device  check   of    found\n"
        "ok    cuda:0  losses  cnn   1e-06 off\n"
        "--    cuda:0  replay        cannot be checked: graphs need a GPU\n"
        "FAIL  cuda:0  energy  rapl  80000 W\n"
        "\n"
        "1 passed, 1 failed, 1 cannot be checked here\n");
}

}  // namespace gpubench::test::selftest_report_test
