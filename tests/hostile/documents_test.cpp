// Result files that no gpubench wrote: damaged, deep, huge, of other types, with forged checksums.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "gpubench/core/collect.h"
#include "sample.h"
#include "support/catch.h"

using namespace gpubench::test;

namespace {

using Named = std::pair<std::string, std::string>;

/// Commands that read a document as bad.json.
const std::vector<std::string> kReaders = {"show bad.json",
                                           "redact bad.json",
                                           "migrate bad.json",
                                           "validate bad.json",
                                           "compare bad.json $RESULTS/alpha-cpu.json",
                                           "compare $RESULTS/alpha-cpu.json --against bad.json",
                                           "report bad.json -o report.html -q",
                                           "merge bad.json $RESULTS/alpha-cpu.json -o -",
                                           "energy import bad.json $POWER/nvidia-smi.csv"};

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

std::string cut_after(const std::string& document, const std::string& part, std::size_t more) {
  return document.substr(0, document.find(part) + part.size() + more);
}

std::vector<Named> no_json() {
  const std::string& run = run_document();
  return {{"nothing", ""},
          {"spaces", "  \n\t \n"},
          {"a NUL", std::string(1, '\0')},
          {"a NUL within", cut_after(run, "\"tool\"", 0) + std::string(1, '\0') + "}"},
          {"UTF-16", std::string("\xff\xfe{\0}\0", 6)},
          {"half a document", run.substr(0, run.size() / 2)},
          {"all but the last byte", run.substr(0, run.rfind('}'))},
          {"cut within a string", cut_after(run, "\"name\": \"gpu", 0)},
          {"cut within an escape", R"({"schema_version": 3, "kind": "\u00)"},
          {"cut within a number", R"({"schema_version": 3, "kind": 1e)"},
          {"half a surrogate", R"({"schema_version": 3, "kind": "\ud800"})"},
          {"bytes that are not UTF-8", "{\"schema_version\": 3, \"kind\": \"\xff\xfe\xc0\xaf\"}"},
          {"an overlong NUL", "{\"schema_version\": 3, \"kind\": \"\xc0\x80\"}"},
          {"a line feed in a string", "{\"kind\": \"a\nb\"}"},
          {"an escape character in a string", "{\"kind\": \"a\x1b[31mb\"}"},
          {"an unknown escape", R"({"kind": "\x41"})"},
          {"two documents", run + run},
          {"words behind the end", run + "rm -rf"},
          {"a version twice", R"({"schema_version": 3, "schema_version": 3})"},
          {"a comment", "/* */ " + run},
          {"a comma too many", R"({"schema_version": 3,})"},
          {"single quotation marks", "{'schema_version': 3}"},
          {"a bare word", "{schema_version: 3}"},
          {"not a number", R"({"schema_version": NaN})"},
          {"infinity", R"({"schema_version": Infinity})"},
          {"a hexadecimal number", R"({"schema_version": 0x3})"},
          {"a number with a plus", R"({"schema_version": +3})"},
          {"a number with a zero before", R"({"schema_version": 03})"},
          {"a number beyond a double", R"({"schema_version": 1e400})"},
          {"a program",
           "\x7f"
           "ELF\x02\x01\x01" +
               std::string(500, '\0')},
          {"a page", "<!DOCTYPE html><html><script>alert(1)</script></html>"},
          {"a picture", "\x89PNG\r\n\x1a\n" + std::string(200, '\x7f')}};
}

std::vector<Named> too_deep() {
  return {
      {"M4: a million lists", times(1000000, "[")},
      {"M4: a million objects", times(1000000, "{\"a\":")},
      {"M4: 100,000 lists that end", times(100000, "[") + times(100000, "]")},
      {"M4: a million lists in a known field", "{\"schema_version\": 3, \"cases\": " + times(1000000, "[")},
      {"M4: 33 levels", "{\"schema_version\": 3, \"cases\": " + times(33, "[") + times(33, "]") + "}"}};
}

std::vector<Named> no_document() {
  return {{"a null", "null"},
          {"a true", "true"},
          {"a number", "1"},
          {"a string", "\"x\""},
          {"a list", "[]"},
          {"an empty object", "{}"},
          {"a version as text", R"({"schema_version": "3"})"},
          {"a version of null", R"({"schema_version": null})"},
          {"a version of a list", R"({"schema_version": [3]})"},
          {"version 0", R"({"schema_version": 0})"},
          {"version -1", R"({"schema_version": -1})"},
          {"version 2.5", R"({"schema_version": 2.5})"},
          {"version 4,000,000,000", R"({"schema_version": 4000000000})"},
          {"version 2^64", R"({"schema_version": 18446744073709551616})"},
          {"cases that are no list", R"({"schema_version": 1, "tool": {}, "environment": {}, "cases": {}})"},
          {"a case that is null", R"({"schema_version": 1, "tool": {}, "environment": {}, "cases": [null]})"},
          {"a key of a megabyte", "{\"" + std::string(1000000, 'k') + "\": 1}"}};
}

std::string many_keys() {
  std::string text = "{";
  for (int i = 0; i < 100000; ++i) text += fmt::format("\"key{}\":0,", i);
  return text + "\"schema_version\":3}";
}

/// Fields may be absent and there may be more of them: these are read, though no schema takes them.
std::vector<Named> poor() {
  return {{"a version and nothing else", R"({"schema_version": 3})"},
          {"an old version and nothing else", R"({"schema_version": 1})"},
          {"an unknown kind", with(run_document(), "/kind", "frob")},
          {"a kind that is no text", with(run_document(), "/kind", 7)},
          {"a string of 10 MB", "{\"schema_version\": 3, \"kind\": \"" + std::string(10000000, 'x') + "\"}"},
          {"100,000 unknown keys", many_keys()}};
}

std::vector<Named> too_much() {
  return {{"M5: 60 kB of empty cases", R"({"schema_version": 1, "tool": {}, "environment": {}, "cases": [)" +
                                           times(20000, "{},") + "{}]}"},
          {"M5: 3 MB of empty cases", R"({"schema_version": 3, "tool": {}, "environment": {}, "cases": [)" +
                                          times(1000000, "{},") + "{}]}"},
          {"M5: 3 MB of empty objects", "[" + times(1000000, "{},") + "{}]"},
          {"a number of a million digits", "{\"schema_version\": " + std::string(1000000, '3') + "}"}};
}

void refused(const std::vector<Named>& list) {
  for (const Named& bad : list) {
    withstand("documents", read_by(kReaders, bad, 3, "bad.json"));
    withstand("documents",
              read_by({"ab --resume bad.json", "ops --op relu --against bad.json"}, bad, 3, "bad.json"));
  }
}

}  // namespace

TEST_CASE("what is not JSON is refused by each command that reads results", "[documents]") {
  refused(no_json());
}
TEST_CASE("what is nested too deep is refused by each command that reads results", "[documents]") {
  refused(too_deep());
}

TEST_CASE("JSON that is no result is refused by each command that reads results", "[documents]") {
  for (const Named& bad : no_document()) {
    withstand("documents", read_by(kReaders, bad, 3, "bad.json"));
    withstand("documents", read_by({"ops --op relu --against bad.json"}, bad, 3, "bad.json"));
  }
}

TEST_CASE("what tells little is shown, and is no valid document", "[documents]") {
  for (const Named& bad : poor()) {
    withstand("documents", read_by({"show bad.json", "redact bad.json"}, bad, 0, ""));
    withstand("documents", read_by({"validate bad.json"}, bad, 3, "bad.json"));
    withstand("documents", read_by({"ab --resume bad.json"}, bad, 2, "bad.json"));
    withstand("documents", read_by({"ops --op relu --against bad.json"}, bad, 3, "bad.json"));
  }
}

TEST_CASE("what is little on the disk and much in memory takes neither all memory nor minutes",
          "[documents]") {
  std::vector<Attack> attacks;
  for (const Named& bad : too_much()) gpubench::append(attacks, read_by(kReaders, bad, kSoundOrRefused, ""));
  withstand("documents", attacks);
}

TEST_CASE("a value of another type is refused wherever it is", "[documents]") {
  std::vector<Attack> attacks;
  for (const std::string& document : {run_document(), ops_document()}) {
    const Json whole = Json::parse(document);
    for (const std::string& place : pointers(whole, [](const Json& value) { return !value.is_null(); })) {
      if (place.empty()) continue;
      for (const Json& value : {Json(Json::array({Json::array()})), Json(-1.5e300), Json("frob\x1b[31m")}) {
        if (value.type() == whole[Json::json_pointer(place)].type()) continue;
        gpubench::append(attacks,
                         read_by({"show bad.json"},
                                 {place + " is " + value.dump().substr(0, 12), with(document, place, value)},
                                 kSoundOrRefused, ""));
      }
    }
  }
  withstand_some("documents of other types", attacks);
}

TEST_CASE("a field that is gone is refused, or told to be absent", "[documents]") {
  std::vector<Attack> attacks;
  for (const std::string& document : {run_document(), ops_document()}) {
    const Json whole = Json::parse(document);
    for (const std::string& place : pointers(whole, [](const Json&) { return true; })) {
      if (place.empty()) continue;
      Json changed = whole;
      const Json::json_pointer pointer(place);
      Json& parent = changed[pointer.parent_pointer()];
      parent.is_array() ? parent.erase(parent.begin()) : parent.erase(parent.find(pointer.back()));
      gpubench::append(attacks,
                       read_by({"show bad.json"}, {"without " + place, changed.dump()}, kSoundOrRefused, ""));
    }
  }
  withstand_some("documents of missing fields", attacks);
}

TEST_CASE("a number at the end of what there is hangs and breaks nothing", "[documents]") {
  std::vector<Attack> attacks;
  for (const std::string& document : {run_document(), ops_document()}) {
    const Json whole = Json::parse(document);
    for (const std::string& place : pointers(whole, [](const Json& value) { return value.is_number(); })) {
      for (const Json& value : {Json(0), Json(INT64_MAX), Json(INT64_MIN), Json(1.7e308), Json(5e-324)}) {
        gpubench::append(
            attacks, read_by({"show bad.json"}, {place + " is " + value.dump(), with(document, place, value)},
                             kSoundOrRefused, ""));
      }
    }
  }
  withstand_some("documents of extreme numbers", attacks);
}

TEST_CASE("a checksum is compared by those who vouch for it", "[documents]") {
  const std::string changed = with(run_document(), "/cases/0/learning_rate", 0.5);
  withstand("documents",
            {
                {"a value changed by hand, validate",
                 3,
                 "content_sha256",
                 "gpubench validate bad.json",
                 "",
                 "",
                 {{"bad.json", changed}}},
                {"a forged checksum, validate",
                 3,
                 "content_sha256",
                 "gpubench validate bad.json",
                 "",
                 "",
                 {{"bad.json", with(run_document(), "/content_sha256", std::string(64, 'a'))}}},
                {"a short checksum, validate",
                 3,
                 "content_sha256",
                 "gpubench validate bad.json",
                 "",
                 "",
                 {{"bad.json", with(run_document(), "/content_sha256", "a")}}},
                {"a checksum of escapes, validate",
                 3,
                 "content_sha256",
                 "gpubench validate bad.json",
                 "",
                 "",
                 {{"bad.json", with(run_document(), "/content_sha256", "\x1b[31m")}}},
                {"one sound file and one bad, validate",
                 3,
                 "bad.json",
                 "gpubench validate run.json bad.json",
                 "",
                 "",
                 {{"bad.json", "{}"}, {"run.json", run_document()}}},
                {"M15: merge of one file and itself",
                 3,
                 "run.json",
                 "gpubench merge run.json run.json -o new.json",
                 "",
                 "",
                 {{"run.json", run_document()}}},
                {"M15: merge of a file and its copy",
                 3,
                 "copy.json",
                 "gpubench merge run.json copy.json -o new.json",
                 "",
                 "",
                 {{"run.json", run_document()}, {"copy.json", run_document()}}},
                {"M15: merge of a file and its copy laid out anew",
                 3,
                 "copy.json",
                 "gpubench merge run.json copy.json -o new.json",
                 "",
                 "",
                 {{"run.json", run_document()}, {"copy.json", Json::parse(run_document()).dump()}}},
                {"M15: merge of one file a hundred times",
                 3,
                 "run.json",
                 "gpubench merge $(yes run.json | head -n 100) -o new.json",
                 "",
                 "",
                 {{"run.json", run_document()}}},
                {"M15: merge of operations and themselves",
                 3,
                 "ops.json",
                 "gpubench merge ops.json ops.json -o new.json",
                 "",
                 "",
                 {{"ops.json", ops_document()}}},
                {"merge of a run and operations",
                 3,
                 "ops.json",
                 "gpubench merge run.json ops.json -o new.json",
                 "",
                 "",
                 {{"run.json", run_document()}, {"ops.json", ops_document()}}},
                {"compare of a run and operations",
                 2,
                 "ops.json",
                 "gpubench compare run.json ops.json",
                 "",
                 "",
                 {{"run.json", run_document()}, {"ops.json", ops_document()}}},
                {"ops against a run",
                 3,
                 "run.json",
                 "operate --op relu --against run.json -o new.json",
                 "",
                 "",
                 {{"run.json", run_document()}}},
                {"energy of operations",
                 3,
                 "ops.json",
                 "gpubench energy import ops.json $POWER/nvidia-smi.csv",
                 "",
                 "",
                 {{"ops.json", ops_document()}}},
                {"compare of a thousand times the same file",
                 0,
                 "",
                 "gpubench compare $(yes run.json | head -n 1000) > out",
                 "",
                 "out",
                 {{"run.json", run_document()}}},
            });
}

TEST_CASE("files of many cases and epochs are read in seconds", "[documents]") {
  Json cases = Json::parse(run_document());
  Json one = cases["cases"][0];
  cases["cases"] = Json::array();
  for (int i = 0; i < 5000; ++i) {
    one["batch"] = i + 1;
    cases["cases"].push_back(one);
  }
  const std::string many_cases = cases.dump();
  Json long_case = Json::parse(run_document());
  std::vector<double> epochs(100000, 0.5);
  for (Json& row : long_case["cases"]) {
    row["epoch_seconds"] = epochs;
    row["epochs"] = epochs.size();
  }
  const std::string many_epochs = long_case.dump();
  std::vector<Attack> attacks;
  for (const std::string& reader : kReaders) {
    const std::string quiet = "ulimit -v 6000000; gpubench " + reader +
                              " > out 2>&1; s=$?; test $s = 0 || test $s = 2 || test $s = 3";
    attacks.push_back(
        {"M5: 5,000 cases, " + reader, 0, "", quiet, "", "out report.html", {{"bad.json", many_cases}}});
    attacks.push_back(
        {"M5: 100,000 epochs, " + reader, 0, "", quiet, "", "out report.html", {{"bad.json", many_epochs}}});
  }
  withstand("documents", attacks);
}
