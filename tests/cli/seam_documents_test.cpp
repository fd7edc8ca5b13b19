// Documents of each kind keep their rows, statuses, values, reasons and warnings in every command that reads
// them. Uses only the program, its options and the keys of its files.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"
#include "tsv_table.h"

namespace gpubench::test::seam_documents_test {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// A document of each kind.
struct Kind {
  std::string name;
  std::string text;
};

/// Returns a folder with documents of each kind. Stand-in workers made run.json, ops.json and net.json: a
/// training run of two repeats with a crashing case, and tables with a crashing operation.
const Gpubench& written() {
  static const auto made = [] {
    auto gpubench = std::make_unique<Gpubench>();
    const auto run = [&](int exit_code, const Words& words) {
      const auto result = gpubench->run(words);
      INFO(result.err);
      REQUIRE(result.exit_code == exit_code);
    };
    // An own store, since peaks are kept for later runs.
    gpubench->set("GPUBENCH_STORE", (gpubench->folder() / "store.sqlite").string());
    run(0, {"peak", "--quick", "--device", "cpu", "--threads", "1", "-o", "peak.json"});
    run(0,
        {"selftest", "--device", "cpu", "--threads", "1", "--only", "seeds,graphs", "-o", "selftest.json"});
    const auto fail = [&](const std::string& behaviour, const Words& words) {
      gpubench->set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " --fault " + behaviour);
      run(5, words);
    };
    fail("abort --only mlp:32",
         {"--model", "mlp,cnn", "--batch", "16,32", "--epochs", "3", "--device", "cpu", "--max-samples", "4",
          "--dataset", "synthetic", "--repeat", "2", "--meter", "none", "-o", "run.json"});
    fail("exit7 --only sigmoid",
         {"ops", "--op", "relu,sigmoid,softplus", "--set", "small", "-o", "ops.json"});
    fail("kill9 --only all_gather", {"net", "--world-size", "2", "--device", "cpu", "--sizes", "4:16:*4",
                                     "--collective", "all_reduce,all_gather", "-q", "-o", "net.json"});
    return gpubench;
  }();
  return *made;
}

std::string written_text(const std::string& name) { return to_text(written().folder() / name); }

std::vector<Kind> all_kinds() {
  return {{"run", written_text("run.json")},
          {"operations", written_text("ops.json")},
          {"network", written_text("net.json")},
          {"peak", written_text("peak.json")},
          {"selftest", written_text("selftest.json")}};
}

/// A folder of documents.
class Folder {
 public:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(gpubench_.folder() / name, std::ios::binary) << text;
  }
  Json read(const std::string& name) const { return Json::parse(to_text(gpubench_.folder() / name)); }
  ProcessResult run(const Words& words) const { return gpubench_.run(words); }

  /// Fails the test unless `validate` finds no fault.
  void check_valid(const std::string& name) const {
    const auto result = run({"file", "validate", name});
    INFO(result.err);
    CHECK(result.out == name + ": ok\n");
    CHECK(result.exit_code == 0);
  }

 private:
  Gpubench gpubench_;
};

/// Returns the value without its texts, except statuses and names that identify a row.
Json without_texts(const Json& value) {
  static const std::set<std::string> kKept = {"status", "workload", "model", "op",     "sizes", "dataset",
                                              "device", "type",     "check", "kind",   "name",  "scope",
                                              "meter",  "method",   "rule",  "subject"};
  static const std::set<std::string> kRemoved = {"stderr_tail", "missing"};
  if (!value.is_structured()) return value;
  Json copy = value.is_array() ? Json::array() : Json::object();
  for (const auto& [key, item] : value.items()) {
    if (value.is_array()) {
      copy.push_back(without_texts(item));
    } else if (!kRemoved.contains(key) && (!item.is_string() || kKept.contains(key))) {
      copy[key] = without_texts(item);
    }
  }
  return copy;
}

/// Fails the test unless the error of the command is one line that names the file.
void check_refused(const Folder& folder, const Words& words, const std::string& file,
                   const std::string& part) {
  const auto result = folder.run(words);
  const std::string said = words[1] == "validate" ? result.out : result.err;
  INFO(words[1] << ": " << result.out << result.err);
  CHECK(result.exit_code == 3);
  CHECK_THAT(said, contains_text(file + ": ") && contains_text(part));
  CHECK(std::ranges::count(said, '\n') == 1);
}

/// Calls `visit` with each object of the document and its path.
void visit_objects(const Json& value, const std::string& place,
                   const std::function<void(const Json&, const std::string&)>& visit) {
  if (value.is_object()) visit(value, place);
  if (!value.is_structured()) return;
  for (const auto& [key, item] : value.items()) visit_objects(item, place + "/" + key, visit);
}

/// Runs stand-in workers into `file` and resumes the run, which must not change any row.
void check_resumed(const std::string& file, Words run, const Words& resume) {
  INFO(file);
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker());
  run.insert(run.end(), {"-o", file});
  const auto first = gpubench.run(run);
  INFO(first.err);
  REQUIRE(first.exit_code == 0);
  const Json before = Json::parse(to_text(gpubench.folder() / file));
  const auto second = gpubench.run(resume);
  INFO(second.err);
  CHECK(second.exit_code == 0);
  const Json after = Json::parse(to_text(gpubench.folder() / file));
  CHECK(after["results"] == before["results"]);
  CHECK(after["tool"]["arguments"] == before["tool"]["arguments"]);
  CHECK(gpubench.run({"file", "validate", file}).exit_code == 0);
}

}  // namespace

TEST_CASE("a document of each kind validates, independent of white space and key order", "[seam]") {
  for (const Kind& kind : all_kinds()) {
    INFO(kind.name);
    const Folder folder;
    folder.write("one.json", kind.text);
    folder.check_valid("one.json");
    const auto document = nlohmann::ordered_json::parse(kind.text);
    for (const int indent : {-1, 7}) {
      folder.write("one.json", document.dump(indent));
      folder.check_valid("one.json");
    }
    nlohmann::ordered_json reversed = nlohmann::ordered_json::object();
    for (auto item = document.rbegin(); item != document.rend(); ++item) reversed[item.key()] = item.value();
    folder.write("one.json", reversed.dump());
    folder.check_valid("one.json");
    if (kind.name == "run") continue;
    folder.write("one.json", Json::parse(kind.text).dump());
    folder.check_valid("one.json");
  }
}

// A known fault: the loss is the first figure of `training`, depending on key order.
TEST_CASE("a training run with sorted keys validates, and anonymize keeps its losses", "[seam]") {
  const Folder folder;
  const Json run = Json::parse(written_text("run.json"));
  folder.write("sorted.json", run.dump());
  folder.check_valid("sorted.json");
  REQUIRE(folder.run({"file", "anonymize", "sorted.json", "-o", "shared.json"}).exit_code == 0);
  const Json shared = folder.read("shared.json");
  CHECK(shared["results"][0]["figures"]["final_loss"] == run["results"][0]["figures"]["final_loss"]);
}

TEST_CASE("documents of each kind of run have failed rows with their reasons", "[seam]") {
  const Folder folder;
  const std::map<std::string, std::size_t> expected = {{"run.json", 8}, {"ops.json", 3}, {"net.json", 4}};
  for (const auto& [name, rows] : expected) {
    INFO(name);
    const Json list = Json::parse(written_text(name))["results"];
    CHECK(list.size() == rows);
    std::size_t failed = 0;
    for (const Json& row : list) {
      if (row["status"] == "ok") {
        CHECK_FALSE(row.contains("status_message"));
        continue;
      }
      ++failed;
      CHECK(row["status"] == "crashed");
      CHECK_FALSE(row["status_message"].get<std::string>().empty());
    }
    CHECK(failed == (name == "ops.json" ? 1 : 2));
    CHECK_THAT(written().run({"show", name}).out, contains_text("crashed"));
  }
}

TEST_CASE("missing values have reasons, in documents of each kind", "[seam]") {
  for (const Kind& kind : all_kinds()) {
    std::size_t missing = 0;
    visit_objects(Json::parse(kind.text), "", [&](const Json& object, const std::string& place) {
      INFO(kind.name << place);
      if (!object.contains("missing")) return;
      ++missing;
      for (const auto& [key, reason] : object["missing"].items()) {
        INFO(key);
        CHECK_FALSE(reason.get<std::string>().empty());
      }
      CHECK_THAT(object.dump(), contains_text(":null"));
    });
    INFO(kind.name);
    CHECK(missing > 0);
  }
}

TEST_CASE("anonymize keeps each row, status, number and missing value of the document", "[seam]") {
  for (const Kind& kind : all_kinds()) {
    if (kind.name == "peak") continue;
    INFO(kind.name);
    const Folder folder;
    folder.write("one.json", kind.text);
    CHECK(folder.run({"file", "anonymize", "one.json", "-o", "shared.json"}).exit_code == 0);
    folder.check_valid("shared.json");
    CHECK(without_texts(folder.read("shared.json")["results"]) ==
          without_texts(Json::parse(kind.text)["results"]));
    CHECK(folder.run({"file", "anonymize", "shared.json", "-o", "again.json"}).exit_code == 0);
    CHECK(folder.read("again.json") == folder.read("shared.json"));
  }
}

TEST_CASE("--resume of a successful run does not change its document", "[seam]") {
  const Words training = {"--model",  "mlp,cnn", "--batch",       "16", "--epochs",  "3",
                          "--device", "cpu",     "--max-samples", "4",  "--dataset", "synthetic"};
  check_resumed("run.json", training, {"--resume", "run.json"});
  Words repeated = training;
  repeated.insert(repeated.end(), {"--repeat", "2"});
  check_resumed("run.json", repeated, {"--resume", "run.json"});
  Words shared = training;
  shared.insert(shared.end(), {"--world-size", "2"});
  check_resumed("run.json", shared, {"--resume", "run.json"});
  check_resumed("ops.json", {"ops", "--op", "relu,sigmoid", "--set", "small"},
                {"ops", "--resume", "ops.json"});
}

TEST_CASE("--resume of successful collectives does not change their document", "[seam]") {
  check_resumed("net.json", {"net", "--world-size", "2", "--device", "cpu", "--collective", "all_reduce"},
                {"net", "--resume", "net.json"});
}

TEST_CASE("show --format tsv has the statuses and medians of the document", "[seam]") {
  const Json cases = Json::parse(written_text("run.json"))["results"];
  const auto shown = written().run({"show", "run.json", "--format", "tsv"});
  CHECK(shown.exit_code == 0);
  const std::vector<TsvRow> rows = parse_tsv(shown.out);
  REQUIRE(rows.size() == cases.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO("row " << i);
    CHECK(rows[i].at("model") == cases[i]["asked"]["model"]);
    CHECK(rows[i].at("batch_size") == cases[i]["asked"]["batch_size"].dump());
    CHECK(rows[i].at("repeat") == cases[i]["asked"]["repeat"].dump());
    CHECK(rows[i].at("status") == cases[i]["status"]);
    const Json& median = cases[i]["figures"]["median_epoch_seconds"];
    CHECK(rows[i].at("median_epoch_seconds") == (median.is_null() ? "" : median.dump()));
  }
}

TEST_CASE("show and report render runs and tables in each format, peaks and selftests as text", "[seam]") {
  const Folder folder;
  for (const Kind& kind : all_kinds()) {
    folder.write("one.json", kind.text);
    const bool is_text_alone = kind.name == "peak" || kind.name == "selftest";
    for (const std::string format : {"txt", "md", "html", "csv", "tsv", "svg"}) {
      INFO(kind.name << " as " << format);
      const auto shown = folder.run({"show", "one.json", "--format", format});
      CHECK(shown.exit_code == (is_text_alone && format != "txt" ? 2 : 0));
      CHECK(shown.out.empty() == (shown.exit_code != 0));
      if (shown.exit_code != 0) CHECK_THAT(shown.err, contains_text("is not supported for"));
      const auto reported = folder.run({"report", "one.json", "-q", "-o", "page." + format});
      CHECK((reported.exit_code == 0) == !is_text_alone);
      if (is_text_alone) CHECK(std::ranges::count(reported.err, '\n') >= 1);
    }
  }
}

TEST_CASE("the error for a truncated document is one line that names it", "[seam]") {
  const Folder folder;
  for (const Kind& kind : all_kinds()) {
    const std::size_t end = kind.text.rfind('}');
    for (const std::size_t size : {end / 100, end / 3, end / 2, end - 1, end}) {
      INFO(kind.name << ", " << size << " of " << kind.text.size() << " bytes");
      folder.write("cut.json", kind.text.substr(0, size));
      for (const Words& words : {Words{"file", "validate", "cut.json"}, {"show", "cut.json"}})
        check_refused(folder, words, "cut.json", "not valid JSON");
    }
    check_refused(folder, {"file", "anonymize", "cut.json", "-o", "new.json"}, "cut.json", "not valid JSON");
    check_refused(folder, {"report", "cut.json", "-q", "-o", "new.html"}, "cut.json", "");
    check_refused(folder, {"compare", "cut.json", "cut.json"}, "cut.json", "");
  }
  CHECK(folder.run({"file", "validate", "new.json", "new.html"}).exit_code == 3);
}

TEST_CASE("the checksum detects an edited value, in documents of each kind", "[seam]") {
  const Folder folder;
  const std::map<std::string, std::string> places = {{"run", "/results/0/samples/epoch_seconds/1"},
                                                     {"operations", "/results/0/samples/call_seconds/1"},
                                                     {"network", "/results/0/samples/call_seconds/1"},
                                                     {"peak", "/environment/threads"},
                                                     {"selftest", "/environment/threads"}};
  for (const Kind& kind : all_kinds()) {
    INFO(kind.name);
    auto document = nlohmann::ordered_json::parse(kind.text);
    auto& value = document[nlohmann::ordered_json::json_pointer(places.at(kind.name))];
    if (value.is_number_float()) {
      value = value.get<double>() + 0.001;
    } else {
      value = value.get<int>() + 1;
    }
    folder.write("edited.json", document.dump());
    const auto result = folder.run({"file", "validate", "edited.json"});
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.out, contains_text("edited.json: content_sha256: "));
    // Readers ignore the checksum, since an editor can recompute it.
    CHECK(folder.run({"show", "edited.json"}).exit_code == 0);
  }
}

TEST_CASE("validate names a derived value that does not follow from the samples", "[seam]") {
  const Folder folder;
  const std::vector<std::pair<std::string, std::string>> places = {
      {"run", "/results/0/figures/median_epoch_seconds"},
      {"run", "/results/0/figures/samples_per_second"},
      {"run", "/results/0/figures/startup_seconds"},
      {"run", "/results/0/figures/first_epoch_seconds"},
      {"operations", "/results/0/figures/median_call_seconds"},
      {"operations", "/results/0/figures/median_call_halfwidth"}};
  for (const auto& [kind, place] : places) {
    INFO(place);
    auto document = nlohmann::ordered_json::parse(written_text(kind == "run" ? "run.json" : "ops.json"));
    auto& value = document[nlohmann::ordered_json::json_pointer(place)];
    REQUIRE(value.is_number());
    value = value.get<double>() * 1.01;
    folder.write("edited.json", document.dump());
    const auto result = folder.run({"file", "validate", "edited.json"});
    CHECK(result.exit_code == 3);
    const std::string key = place.substr(place.rfind('/') + 1);
    CHECK_THAT(result.out, contains_text("[0].figures." + key + ": ") && contains_text("content_sha256: "));
  }
}

TEST_CASE("readers ignore an unknown key, and validate names it", "[seam]") {
  const Folder folder;
  for (const Kind& kind : all_kinds()) {
    INFO(kind.name);
    folder.write("one.json", kind.text);
    const auto plain = folder.run({"show", "one.json"});
    Json document = Json::parse(kind.text);
    document["future"] = {{"key", 1}};
    document["results"][0]["future"] = "unknown";
    document.erase("content_sha256");
    folder.write("one.json", document.dump());
    const auto shown = folder.run({"show", "one.json"});
    CHECK(shown.exit_code == 0);
    CHECK(shown.out == plain.out);
    const auto validated = folder.run({"file", "validate", "one.json"});
    CHECK(validated.exit_code == 3);
    CHECK_THAT(validated.out, contains_text("future"));
  }
}

TEST_CASE("show prints the same table as the run", "[seam]") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " --fault oom --only mlp:32");
  const auto run = gpubench.run({"--model", "mlp", "--batch", "16,32,64", "--epochs", "3", "--device", "cpu",
                                 "--max-samples", "4", "--dataset", "synthetic", "-o", "run.json"});
  REQUIRE(run.exit_code == 5);
  const std::string shown = gpubench.run({"show", "run.json"}).out;
  for (const char* word : {"oom", "skipped", "fashion-mnist", "0.502"}) {
    INFO(word);
    CHECK_THAT(run.out, contains_text(word));
    CHECK_THAT(shown, contains_text(word));
  }
}

TEST_CASE("with -o -, stdout has only the document", "[seam]") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker());
  for (const Words& words :
       {Words{"ops", "--op", "relu", "--set", "small", "-q", "-o", "-"},
        {"net", "--world-size", "2", "--device", "cpu", "--sizes", "4:4:*4", "-q", "-o", "-"}}) {
    INFO(words.front());
    const auto result = gpubench.run(words);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    REQUIRE(Json::accept(result.out));
    std::ofstream(gpubench.folder() / (words.front() + ".json")) << result.out;
    CHECK(gpubench.run({"file", "validate", words.front() + ".json"}).exit_code == 0);
  }
}

}  // namespace gpubench::test::seam_documents_test
