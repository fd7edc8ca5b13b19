// validate, merge, redact and --anonymize, with the real binary.

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::documents_test {

using Json = nlohmann::json;

namespace {

const std::string kAlpha = fixtures_dir() + "/results/alpha-cpu.json";

Json read(const std::filesystem::path& path) { return Json::parse(std::ifstream(path)); }

/// Keys whose texts a shared file keeps.
const std::set<std::string> kKept = {"name",
                                     "version",
                                     "git_commit",
                                     "started_at",
                                     "finished_at",
                                     "isolation",
                                     "alternation",
                                     "side",
                                     "os",
                                     "kernel",
                                     "cpu",
                                     "libtorch_version",
                                     "allocator",
                                     "governor",
                                     "libtorch_build",
                                     "peak_measured_at",
                                     "peak_from_rows",
                                     "calibrated_at",
                                     "model",
                                     "driver",
                                     "architecture",
                                     "device_model",
                                     "device",
                                     "device_link",
                                     "link",
                                     "sha256",
                                     "provenance",
                                     "protocol",
                                     "kind",
                                     "set",
                                     "op",
                                     "sizes",
                                     "type",
                                     "direction",
                                     "cache",
                                     "backend",
                                     "status",
                                     "workload",
                                     "clock",
                                     "peak_source",
                                     "bottleneck",
                                     "likely_cause",
                                     "dataset",
                                     "execution",
                                     "precision",
                                     "layout",
                                     "loader",
                                     "sample_unit",
                                     "execution_used",
                                     "layout_used",
                                     "optimizer",
                                     "skip_rule",
                                     "stopped_by",
                                     "parameter_checksum",
                                     "energy_scope",
                                     "meter",
                                     "scope",
                                     "quantity",
                                     "method",
                                     "check",
                                     "subject",
                                     "claim",
                                     "content_sha256"};

/// Puts a secret before each text of `value`, which is the `key` of a `parent`, unless a shared file keeps
/// it.
void plant(Json& value, const std::string& parent, const std::string& key) {
  const bool is_kept = kKept.contains(key) && parent != "missing" && !(parent == "files" && key == "name");
  if (value.is_string() && !is_kept) value = "secret " + value.get<std::string>();
  if (value.is_array()) {
    for (Json& item : value) plant(item, parent, key);
  } else if (value.is_object()) {
    for (auto& [its_key, its_value] : value.items()) plant(its_value, key, its_key);
  }
}

Json some_rank() {
  return {{"rank", 1},
          {"host", "node-1"},
          {"os", "Debian"},
          {"kernel", "Linux"},
          {"cpu", "Processor"},
          {"device", "cuda:1"},
          {"device_model", "GPU"},
          {"driver", "550.1"},
          {"libtorch_build", "CUDA"},
          {"threads", 1},
          {"address", "192.168.0.7"},
          {"link", "loopback"},
          {"device_link", "PCIe 5 x16"},
          {"device_uuid", "GPU-8f6e"},
          {"device_pci_address", "0000:65:00.0"},
          {"visible_devices", "CUDA_VISIBLE_DEVICES=GPU-8f6e"}};
}

/// Each line of a table in CSV whose status is ok, from the column called `name` on.
std::vector<std::string> columns_after(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const std::string before = line.substr(0, line.find("," + name + ","));
  const auto skipped = std::ranges::count(before, ',') + 1;
  std::vector<std::string> rest;
  while (std::getline(lines, line)) {
    if (line.find(",ok,") == std::string::npos) continue;
    std::size_t at = 0;
    for (std::ptrdiff_t i = 0; i < skipped; ++i) at = line.find(',', at) + 1;
    rest.push_back(line.substr(at));
  }
  return rest;
}

}  // namespace

TEST_CASE("validate says ok for each file, and names each fault of others", "[seam]") {
  Gpubench gpubench;
  const std::string good = source_dir() + "/tests/data/expected/run.json";
  auto result = gpubench.run({"validate", good, source_dir() + "/tests/data/expected/ops.json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("run.json: ok\n"));
  CHECK_THAT(result.out, contains_text("ops.json: ok\n"));

  Json changed = read(good);
  changed["results"][0]["figures"]["median_epoch_seconds"] = 0.001;
  std::ofstream(gpubench.folder() / "changed.json") << changed;
  std::ofstream(gpubench.folder() / "torn.json") << "{";
  result = gpubench.run({"validate", good, "changed.json", "torn.json", "none.json"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, contains_text("run.json: ok\n"));
  CHECK_THAT(result.out, contains_text("changed.json: results[0].figures.median_epoch_seconds: "));
  CHECK_THAT(result.out, contains_text("changed.json: content_sha256: "));
  CHECK_THAT(result.out, contains_text("torn.json: not JSON"));
  CHECK_THAT(result.out, contains_text("none.json: cannot be read"));
}

TEST_CASE("a document of another version is refused by every reader, in a line that says what to do",
          "[seam]") {
  using Command = std::vector<std::string>;
  Gpubench gpubench;
  const auto refuse = [&](const std::string& fixture, const std::vector<Command>& readers) {
    Json document = read(fixtures_dir() + "/results/" + fixture);
    const int known = document.at("schema_version");
    for (const int version : {known - 1, known + 1}) {
      document["schema_version"] = version;
      std::ofstream(gpubench.folder() / "other.json") << document;
      const std::string refusal = "other.json: schema_version: found " + std::to_string(version) +
                                  ", but this gpubench reads " + std::to_string(known) +
                                  " only; use the gpubench that wrote the file, or measure again\n";
      for (const Command& reader : readers) {
        INFO(reader.front() << ", version " << version);
        const auto result = gpubench.run(reader);
        CHECK(result.exit_code == 3);
        const std::string said = result.out + result.err;
        CHECK(said.substr(said.find("other.json")) == refusal);
      }
    }
  };
  refuse("alpha-cpu.json", {{"validate", "other.json"},
                            {"show", "other.json"},
                            {"redact", "other.json", "-o", "new.json"},
                            {"merge", "other.json", "-o", "new.json"},
                            {"compare", kAlpha, "other.json"},
                            {"report", "other.json", "-q", "-o", "new.html"}});
  refuse("operations.json", {{"validate", "other.json"},
                             {"show", "other.json"},
                             {"redact", "other.json", "-o", "new.json"},
                             {"compare", "other.json", "other.json"}});
}

TEST_CASE("merge puts the runs of one machine together and says of which files", "[seam]") {
  Gpubench gpubench;
  const auto merged = gpubench.run({"merge", kAlpha, kAlpha, "-o", "both.json"});
  CHECK(merged.exit_code == 0);
  const Json document = read(gpubench.folder() / "both.json");
  CHECK(document.at("results").size() == 2 * read(kAlpha).at("results").size());
  CHECK(document.at("tool").at("arguments") == Json({"merge", kAlpha, kAlpha, "-o", "both.json"}));
  CHECK(gpubench.run({"validate", "both.json"}).exit_code == 0);
  const auto refused =
      gpubench.run({"merge", kAlpha, fixtures_dir() + "/results/beta-cuda.json", "-o", "no.json"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.err, contains_text("environment.host"));
}

TEST_CASE("redact removes every text that is no name of a product, a version or a word of gpubench",
          "[seam]") {
  const Gpubench gpubench;
  const std::string results = source_dir() + "/tests/data/expected/";
  for (const std::string& file :
       {results + "run.json", results + "ops.json", fixtures_dir() + "/results/eventful.json",
        source_dir() + "/tests/fuzz/corpus/selftest/measured.json"}) {
    INFO(file);
    const Json document = read(file);
    Json planted = document;
    planted["environment"]["ranks"] = Json::array({some_rank()});
    plant(planted, "", "");
    std::ofstream(gpubench.folder() / "planted.json") << planted;
    const auto result = gpubench.run({"redact", "planted.json", "-o", "shared.json", "--overwrite"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, contains_text("removed: arguments, ") && contains_text(", host, "));
    CHECK_THAT(to_text(gpubench.folder() / "shared.json"), !contains_text("secret"));
    CHECK(gpubench.run({"validate", "shared.json"}).out == "shared.json: ok\n");
    const Json shared = read(gpubench.folder() / "shared.json");
    CHECK(shared["tool"]["version"] == document["tool"]["version"]);
    CHECK(shared["environment"]["cpu"] == document["environment"]["cpu"]);
    CHECK(shared["environment"]["devices"][0]["model"] == document["environment"]["devices"][0]["model"]);
    CHECK(shared["environment"]["ranks"][0]["link"] == "loopback");
    CHECK(shared["environment"]["ranks"][0]["missing"]["identity"] == "removed");
    CHECK_THAT(gpubench.run({"redact", "shared.json"}).err, contains_text("removed: nothing"));
  }
}

TEST_CASE("shared files compare as their originals do", "[seam]") {
  const Gpubench gpubench;
  const std::vector<std::string> originals = {kAlpha, fixtures_dir() + "/results/beta-cuda.json"};
  CHECK(gpubench.run({"redact", originals[0], "-o", "a.json"}).exit_code == 0);
  CHECK(gpubench.run({"redact", originals[1], "-o", "b.json"}).exit_code == 0);
  const auto ratios = [&](const std::string& one, const std::string& other) {
    const auto result = gpubench.run({"compare", "--format", "csv", one, other});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return columns_after(result.out, "against");
  };
  const std::vector<std::string> expected = ratios(originals[0], originals[1]);
  CHECK(expected.size() > 2);
  CHECK(ratios("a.json", "b.json") == expected);
}

TEST_CASE("a run with --anonymize names the host neither in its result nor in the file's name", "[seam]") {
  Gpubench gpubench;
  const auto run = gpubench.run({"--model", "mlp", "--dataset", "fashion-mnist", "--device", "cpu", "--batch",
                                 "16", "--epochs", "2", "--anonymize", "-q", "-o", "out/"});
  CHECK(run.exit_code == 0);
  std::vector<std::filesystem::path> results;
  for (const auto& entry : std::filesystem::directory_iterator(gpubench.folder() / "out")) {
    if (entry.path().extension() == ".json") results.push_back(entry.path());
  }
  REQUIRE(results.size() == 1);
  CHECK_THAT(results[0].filename().string(), contains_text("-shared-cpu.json"));
  CHECK(read(results[0]).at("environment").at("host") == "");
  CHECK(read(results[0]).at("tool").at("arguments").empty());
}

TEST_CASE("help of the commands for result files has an example") {
  Gpubench gpubench;
  for (const std::string command : {"validate", "merge", "redact"}) {
    CHECK_THAT(gpubench.run({command, "--help"}).out, contains_text("Example:\n  gpubench " + command));
    CHECK(gpubench.run({command}).exit_code == 2);
  }
}

}  // namespace gpubench::test::documents_test
