// Documents of each kind, as the program writes them, through the commands that read them: the same rows,
// statuses, values, reasons and warnings come out. Only the program, its options and the keys of its files
// are used.

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

/// Returns a folder with documents of each kind. The stand-in wrote run.json, ops.json and net.json: a
/// training run of two repetitions with a case that crashes, and tables with an operation that does.
const Gpubench& written() {
  static const auto made = [] {
    auto gpubench = std::make_unique<Gpubench>();
    const auto run = [&](int exit_code, const Words& words) {
      const auto result = gpubench->run(words);
      INFO(result.err);
      REQUIRE(result.exit_code == exit_code);
    };
    // Peaks are kept for later runs, which are to be those of no other test.
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

/// A folder for documents to read.
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

/// Returns the value without its texts, but for statuses and names that identify a row.
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

/// Fails the test unless the command refuses the file in one line that names it.
void check_refused(const Folder& folder, const Words& words, const std::string& file,
                   const std::string& part) {
  const auto result = folder.run(words);
  const std::string said = words[1] == "validate" ? result.out : result.err;
  INFO(words[1] << ": " << result.out << result.err);
  CHECK(result.exit_code == 3);
  CHECK_THAT(said, contains_text(file + ": ") && contains_text(part));
  CHECK(std::ranges::count(said, '\n') == 1);
}

/// Calls `visit` with each object of the document and its place.
void visit_objects(const Json& value, const std::string& place,
                   const std::function<void(const Json&, const std::string&)>& visit) {
  if (value.is_object()) visit(value, place);
  if (!value.is_structured()) return;
  for (const auto& [key, item] : value.items()) visit_objects(item, place + "/" + key, visit);
}

/// Runs the stand-in into `file` and resumes that, which has to change no row.
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

TEST_CASE("a document of each kind validates, whatever its layout and order of keys", "[seam]") {
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

// A known fault: the loss is taken from whichever figure of `training` comes first.
TEST_CASE("a training run whose keys were sorted validates, and merge keeps its losses", "[seam]") {
  const Folder folder;
  const Json run = Json::parse(written_text("run.json"));
  folder.write("sorted.json", run.dump());
  folder.check_valid("sorted.json");
  REQUIRE(folder.run({"file", "merge", "sorted.json", "-o", "merged.json"}).exit_code == 0);
  const Json merged = folder.read("merged.json");
  CHECK(merged["results"][0]["figures"]["final_loss"] == run["results"][0]["figures"]["final_loss"]);
}

TEST_CASE("a row that failed is in the document of each kind of run, with its reason", "[seam]") {
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

TEST_CASE("a value that is missing has a reason beside it, in documents of each kind", "[seam]") {
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

TEST_CASE("redact keeps each row, status, number and missing value of the document", "[seam]") {
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

TEST_CASE("merge of one file keeps its cases, their statistics and its machine as they are", "[seam]") {
  const Folder folder;
  folder.write("run.json", written_text("run.json"));
  for (const std::string& source : {std::string("run.json"), fixtures_dir() + "/results/eventful.json",
                                    source_dir() + "/tests/data/expected/run.json"}) {
    INFO(source);
    const auto result = folder.run({"file", "merge", source, "-o", "one.json", "--force"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    folder.check_valid("one.json");
    CHECK(folder.run({"file", "merge", "one.json", "-o", "two.json", "--force"}).exit_code == 0);
    Json once = folder.read("one.json");
    Json twice = folder.read("two.json");
    for (Json* document : {&once, &twice}) {
      for (const char* own : {"arguments", "run_id"}) (*document)["tool"].erase(own);
      document->erase("content_sha256");
    }
    CHECK(once == twice);
    if (source != "run.json") continue;
    const Json original = folder.read(source);
    for (const char* part : {"results", "environment"}) CHECK(once[part] == original[part]);
  }
}

TEST_CASE("merge keeps status, reason, warnings and energy of each case", "[seam]") {
  const Folder folder;
  const std::string source = fixtures_dir() + "/results/eventful.json";
  REQUIRE(folder.run({"file", "merge", source, "-o", "one.json"}).exit_code == 0);
  const Json before = Json::parse(to_text(source))["results"];
  const Json after = folder.read("one.json")["results"];
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO("case " << i);
    for (const char* key :
         {"/asked/model", "/asked/batch_size", "/asked/device", "/status", "/status_message", "/skip_rule",
          "/requested_bytes", "/available_bytes", "/stderr_tail", "/warnings", "/samples/epoch_seconds",
          "/samples/block_seconds", "/samples/training", "/samples/timeline", "/facts/setup_seconds",
          "/facts/validation", "/facts/peak_host_bytes", "/facts/started_at", "/facts/stopped_by"}) {
      INFO(key);
      const Json::json_pointer place(key);
      if (before[i].contains(place)) CHECK(after[i].at(place) == before[i].at(place));
    }
    const Json sources = before[i].value("energy", Json::array());
    REQUIRE(after[i]["energy"].size() == sources.size());
    for (std::size_t j = 0; j < sources.size(); ++j) {
      for (const char* key : {"meter", "scope", "method", "energy_joules", "epoch_joules", "window_seconds",
                              "idle_before_watts", "watts", "notes"}) {
        INFO(key);
        if (sources[j].contains(key)) CHECK(after[i]["energy"][j][key] == sources[j][key]);
      }
    }
  }
}

TEST_CASE("merge of two runs numbers their repetitions anew, and keeps every sample", "[seam]") {
  const Folder folder;
  Json monday = Json::parse(to_text(fixtures_dir() + "/results/alpha-cpu.json"));
  Json tuesday = monday;
  for (Json& row : tuesday["results"]) row["samples"]["epoch_seconds"][1] = 9.5;
  folder.write("monday.json", monday.dump());
  folder.write("tuesday.json", tuesday.dump());
  REQUIRE(folder.run({"file", "merge", "monday.json", "tuesday.json", "-o", "week.json"}).exit_code == 0);
  folder.check_valid("week.json");
  const Json week = folder.read("week.json");
  std::map<std::string, std::set<int>> repeats;
  std::size_t from_tuesday = 0;
  for (const Json& row : week["results"]) {
    repeats[row["asked"]["model"].get<std::string>() + row["asked"]["batch_size"].dump()].insert(
        row["asked"]["repeat"].get<int>());
    if (row["samples"]["epoch_seconds"][1] == 9.5) ++from_tuesday;
  }
  CHECK(repeats.size() == 9);
  for (const auto& [name, numbers] : repeats) CHECK(numbers == std::set<int>{1, 2});
  CHECK(from_tuesday == 9);
}

TEST_CASE("--resume of a run that ended well changes nothing in its document", "[seam]") {
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

TEST_CASE("--resume of collectives that ended well changes nothing in their document", "[seam]") {
  check_resumed("net.json", {"net", "--world-size", "2", "--device", "cpu", "--collective", "all_reduce"},
                {"net", "--resume", "net.json"});
}

TEST_CASE("show as a table for programs has the statuses and medians of the document", "[seam]") {
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

TEST_CASE("runs and tables are shown and reported in each format, peaks and selftests as text", "[seam]") {
  const Folder folder;
  for (const Kind& kind : all_kinds()) {
    folder.write("one.json", kind.text);
    const bool is_text_alone = kind.name == "peak" || kind.name == "selftest";
    for (const std::string format : {"txt", "md", "html", "csv", "tsv", "svg"}) {
      INFO(kind.name << " as " << format);
      const auto shown = folder.run({"show", "one.json", "--format", format});
      CHECK(shown.exit_code == (is_text_alone && format != "txt" ? 2 : 0));
      CHECK(shown.out.empty() == (shown.exit_code != 0));
      if (shown.exit_code != 0) CHECK_THAT(shown.err, contains_text("which is shown as txt alone"));
      const auto reported = folder.run({"report", "one.json", "-q", "-o", "page." + format});
      CHECK((reported.exit_code == 0) == !is_text_alone);
      if (is_text_alone) CHECK(std::ranges::count(reported.err, '\n') >= 1);
    }
  }
}

TEST_CASE("a document of each kind that is cut off anywhere is refused in a line that names it", "[seam]") {
  const Folder folder;
  for (const Kind& kind : all_kinds()) {
    const std::size_t end = kind.text.rfind('}');
    for (const std::size_t size : {end / 100, end / 3, end / 2, end - 1, end}) {
      INFO(kind.name << ", " << size << " of " << kind.text.size() << " bytes");
      folder.write("cut.json", kind.text.substr(0, size));
      for (const Words& words : {Words{"file", "validate", "cut.json"}, {"show", "cut.json"}})
        check_refused(folder, words, "cut.json", "not JSON");
    }
    check_refused(folder, {"file", "anonymize", "cut.json", "-o", "new.json"}, "cut.json", "not JSON");
    check_refused(folder, {"file", "merge", "cut.json", "-o", "new.json"}, "cut.json", "not JSON");
    check_refused(folder, {"report", "cut.json", "-q", "-o", "new.html"}, "cut.json", "");
    check_refused(folder, {"compare", "cut.json", "cut.json"}, "cut.json", "");
  }
  CHECK(folder.run({"file", "validate", "new.json", "new.html"}).exit_code == 3);
}

TEST_CASE("a value that was edited is found by its checksum, in documents of each kind", "[seam]") {
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
    // Readers do not ask: whoever edits can compute the checksum anew.
    CHECK(folder.run({"show", "edited.json"}).exit_code == 0);
  }
}

TEST_CASE("a derived value that does not follow from the samples is named by validate", "[seam]") {
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

TEST_CASE("a key that gpubench does not know is ignored by its readers, and named by validate", "[seam]") {
  const Folder folder;
  for (const Kind& kind : all_kinds()) {
    INFO(kind.name);
    folder.write("one.json", kind.text);
    const auto plain = folder.run({"show", "one.json"});
    Json document = Json::parse(kind.text);
    document["future"] = {{"key", 1}};
    document["results"][0]["future"] = "unknown";
    folder.write("one.json", document.dump());
    const auto shown = folder.run({"show", "one.json"});
    CHECK(shown.exit_code == 0);
    CHECK(shown.out == plain.out);
    const auto validated = folder.run({"file", "validate", "one.json"});
    CHECK(validated.exit_code == 3);
    CHECK_THAT(validated.out, contains_text("future"));
  }
}

TEST_CASE("the table of a run is what show prints of its document", "[seam]") {
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

TEST_CASE("with -o - each table is one document on stdout, and nothing else", "[seam]") {
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
