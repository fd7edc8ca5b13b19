// Malformed result files: damaged, deeply nested, huge, of other types, with forged checksums.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "gpubench/core/collect.h"
#include "sample.h"
#include "support/catch.h"

namespace gpubench::test::documents_test {

namespace {

using Named = std::pair<std::string, std::string>;

/// Commands that read a document as bad.json.
const std::vector<std::string> kReaders = {"show bad.json",
                                           "file anonymize bad.json",
                                           "file validate bad.json",
                                           "compare bad.json $RESULTS/alpha-cpu.json",
                                           "compare $RESULTS/alpha-cpu.json --baseline bad.json",
                                           "report bad.json -o report.html -q",
                                           "file import-power bad.json $POWER/nvidia-smi.csv"};

std::vector<Attack> read_by(const std::vector<std::string>& readers, const Named& bad, int code,
                            const std::string& words) {
  std::vector<Attack> attacks;
  for (const std::string& reader : readers) {
    attacks.push_back({bad.first + ", " + reader.substr(0, reader.find(' ')),
                       code,
                       words,
                       "ulimit -v 6000000; gpubench " + reader,
                       "",
                       "report.html",
                       {{"bad.json", bad.second}}});
  }
  return attacks;
}

/// Returns texts that are not JSON, one of each kind; tests/fuzz/corpus has more.
std::vector<Named> invalid_json() {
  const std::string& run = run_document();
  return {
      {"nothing", ""},
      {"a NUL", std::string(1, '\0')},
      {"UTF-16", std::string("\xff\xfe{\0}\0", 6)},
      {"a missing last byte", run.substr(0, run.rfind('}'))},
      {"half a surrogate", R"({"schema_version": 3, "kind": "\ud800"})"},
      {"bytes that are not UTF-8", "{\"schema_version\": 3, \"kind\": \"\xff\xfe\xc0\xaf\"}"},
      {"an escape character in a string", "{\"kind\": \"a\x1b[31mb\"}"},
      {"text after the end", run + "rm -rf"},
      {"a version twice", R"({"schema_version": 1, "schema_version": 1})"},
      {"a comment", "/* */ " + run},
      {"not a number", R"({"schema_version": NaN})"},
      {"a number beyond a double", R"({"schema_version": 1e400})"},
      {"a program", "\x7f" + ("ELF\x02\x01\x01" + std::string(500, '\0'))},
      {"M4: a million objects", times(1000000, "{\"a\":")},
      {"M4: a million lists in a known field", "{\"schema_version\": 1, \"results\": " + times(1000000, "[")},
      {"M4: 33 levels", "{\"schema_version\": 1, \"results\": " + times(33, "[") + times(33, "]") + "}"}};
}

std::vector<Named> other_json() {
  return {{"a null", "null"},
          {"a list", "[]"},
          {"an empty object", "{}"},
          {"a version as text", R"({"schema_version": "3"})"},
          {"version -1", R"({"schema_version": -1})"},
          {"version 4,000,000,000", R"({"schema_version": 4000000000})"},
          {"version 2^64", R"({"schema_version": 18446744073709551616})"},
          {"a version and nothing else", R"({"schema_version": 1})"},
          {"results that are not a list",
           R"({"schema_version": 1, "tool": {}, "environment": {}, "results": {}})"},
          {"a result that is null", R"({"schema_version": 1, "tool": {}, "results": [null]})"},
          {"an unknown workload", R"({"schema_version": 1, "results": [{"workload": "frob"}]})"},
          {"a key of a megabyte", "{\"" + std::string(1000000, 'k') + "\": 1}"}};
}

std::string many_keys() {
  std::string text = "{";
  for (int i = 0; i < 100000; ++i) text += fmt::format("\"key{}\":0,", i);
  return text + "\"schema_version\":1,\"results\":[]}";
}

/// Returns documents with missing or unknown fields. Commands read them, though they are not valid.
std::vector<Named> incomplete() {
  return {{"no result", R"({"schema_version": 1, "results": []})"},
          {"an unknown kind", with(run_document(), "/kind", "frob")},
          {"a string of 10 MB",
           "{\"schema_version\": 1, \"results\": [], \"kind\": \"" + std::string(10000000, 'x') + "\"}"},
          {"100,000 unknown keys", many_keys()}};
}

/// Returns small documents that need much memory.
std::vector<Named> too_large() {
  return {{"M5: 3 MB of empty results",
           R"({"schema_version": 1, "tool": {}, "results": [)" + times(1000000, "{},") + "{}]}"},
          {"a number of a million digits", "{\"schema_version\": " + std::string(1000000, '3') + "}"}};
}

/// Tests each document with one reader, and the first one with all.
void refused(const std::vector<Named>& list) {
  std::vector<Attack> attacks;
  for (const Named& bad : list) gpubench::append(attacks, read_by({"show bad.json"}, bad, 3, "bad.json"));
  gpubench::append(attacks, read_by(kReaders, list.front(), 3, "bad.json"));
  withstand("documents", attacks);
}

/// Returns the document without the value at `place`.
std::string without(const Json& document, const std::string& place) {
  Json changed = document;
  const Json::json_pointer pointer(place);
  Json& parent = changed[pointer.parent_pointer()];
  parent.is_array() ? parent.erase(parent.begin()) : parent.erase(parent.find(pointer.back()));
  return changed.dump();
}

/// Returns documents with one value that is missing, of another type or at the end of its range.
std::vector<Named> damaged(const std::string& document) {
  const std::vector<Json> values = {
      Json::array({Json::array()}), "frob\x1b[31m", 0, INT64_MAX, INT64_MIN, 1.7e308, 5e-324};
  const Json whole = Json::parse(document);
  std::vector<Named> all;
  for (const std::string& place : pointers(whole, [](const Json&) { return true; })) {
    if (place.empty()) continue;
    const Json& value = values[all.size() % values.size()];
    all.push_back({"without " + place, without(whole, place)});
    all.push_back({place + " is " + value.dump().substr(0, 12), with(document, place, value)});
  }
  return all;
}

Attack row(const std::string& what, int code, const std::string& words, const std::string& command,
           const std::map<std::string, std::string>& files) {
  return {what, code, words, "gpubench " + command, "", "", files};
}

}  // namespace

TEST_CASE("each command that reads results rejects invalid JSON", "[documents][seam]") {
  refused(invalid_json());
}

TEST_CASE("each command that reads results rejects other JSON", "[documents][seam]") {
  refused(other_json());
}

TEST_CASE("an incomplete document is shown, but is not valid", "[documents][seam]") {
  std::vector<Attack> attacks;
  for (const Named& bad : incomplete()) {
    gpubench::append(attacks, read_by({"show bad.json", "file anonymize bad.json"}, bad, 0, ""));
    gpubench::append(attacks, read_by({"file validate bad.json"}, bad, 3, "bad.json"));
  }
  gpubench::append(attacks, read_by({"ab --resume bad.json"}, incomplete().front(), 2, "bad.json"));
  withstand("documents", attacks);
}

TEST_CASE("a small file that needs much memory is read within limits", "[documents]") {
  std::vector<Attack> attacks;
  for (const Named& bad : too_large()) gpubench::append(attacks, read_by(kReaders, bad, kSoundOrRefused, ""));
  withstand("documents", attacks);
}

TEST_CASE("a value that is missing, of another type or at the end of its range does no harm", "[documents]") {
  for (const std::string& document : {run_document(), ops_document()}) {
    std::vector<Attack> attacks;
    for (const Named& bad : damaged(document))
      gpubench::append(attacks, read_by({"show bad.json"}, bad, kSoundOrRefused, ""));
    withstand_some("damaged documents", attacks);
  }
}

TEST_CASE("invalid checksums and wrong kinds of documents are errors", "[documents][seam]") {
  const std::string& run = run_document();
  const std::string& ops = ops_document();
  withstand("documents", {
                             row("a checksum of escapes", 3, "content_sha256", "file validate bad.json",
                                 {{"bad.json", with(run, "/content_sha256", "\x1b[31m")}}),
                             row("compare of a run and operations", 2, "ops.json",
                                 "compare run.json ops.json", {{"run.json", run}, {"ops.json", ops}}),
                             row("energy of operations", 3, "ops.json",
                                 "file import-power ops.json $POWER/nvidia-smi.csv", {{"ops.json", ops}}),
                         });
}

TEST_CASE("files of many cases and epochs are read in seconds", "[documents]") {
  Json cases = Json::parse(run_document());
  Json one = cases["results"][0];
  cases["results"] = Json::array();
  for (int i = 0; i < 5000; ++i) {
    one["asked"]["batch_size"] = i + 1;
    cases["results"].push_back(one);
  }
  Json long_case = Json::parse(run_document());
  std::vector<double> epochs(100000, 0.5);
  for (Json& row : long_case["results"]) {
    row["samples"]["epoch_seconds"] = epochs;
    row["asked"]["epochs"] = epochs.size();
  }
  std::vector<Attack> attacks;
  for (const std::string reader :
       {"show bad.json", "compare bad.json $RESULTS/alpha-cpu.json", "report bad.json -o report.html -q"}) {
    const std::string quiet = "ulimit -v 6000000; gpubench " + reader +
                              " > out 2>&1; s=$?; test $s = 0 || test $s = 2 || test $s = 3";
    for (const Named& bad : {Named("5,000 cases", cases.dump()), Named("100,000 epochs", long_case.dump())}) {
      attacks.push_back({"M5: " + bad.first + ", " + reader,
                         0,
                         "",
                         quiet,
                         "",
                         "out report.html",
                         {{"bad.json", bad.second}}});
    }
  }
  withstand("documents", attacks);
}

}  // namespace gpubench::test::documents_test
