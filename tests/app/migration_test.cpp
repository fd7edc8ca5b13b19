#include "app/files/migration.h"

#include "record/document/document_file.h"
#include "support/catch.h"

namespace gpubench::test {
namespace {

Json migrated_json(const std::string& text) { return parse_document(migrated(parse_document(text))); }

void check_refused(const std::string& text, const std::string& why) {
  INFO(text);
  CHECK_THROWS_WITH(migrated_json(text), contains_text(why));
}

}  // namespace

TEST_CASE("a peak's reasons move into its absent") {
  const Json peak = migrated_json(R"({"schema_version": 2, "points": [
      {"kind": "launch", "value": null, "value_reason": "none"}, {"kind": "copy", "value": 3}]})");
  CHECK(peak.at("schema_version") == 3);
  CHECK(peak.at("points") == Json::parse(R"([{"kind": "launch", "value": null, "absent": {"value": "none"}},
                                             {"kind": "copy", "value": 3}])"));
  CHECK(peak.at(kContentHashKey) == content_hash(peak));
}

TEST_CASE("a peak without all parts is brought up to date like a run without them") {
  const Json peak = migrated_json(R"({"schema_version": 1, "points": []})");
  CHECK(peak.at("tool").at("version") == "");
  CHECK(peak.at("environment").at("devices").empty());
}

TEST_CASE("a peak that is none is refused with the place") {
  check_refused(R"({"schema_version": 1, "points": {"a": {}}})", "points: a list");
  check_refused(R"({"schema_version": 1, "points": [{}, 1]})", "points[1]: an object");
  check_refused(R"({"schema_version": 1, "points": [], "tool": 5})", "tool: an object");
  check_refused(R"({"schema_version": 9, "points": []})", "schema_version");
  check_refused(R"({"points": []})", "schema_version");
}

}  // namespace gpubench::test
