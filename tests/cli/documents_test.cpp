// `gpubench file validate` and `anonymize`, with the real binary.

#include <fstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::documents_test {

using Json = nlohmann::json;

namespace {

const std::string kAlpha = fixtures_dir() + "/results/alpha-cpu.json";

Json read(const std::filesystem::path& path) { return Json::parse(std::ifstream(path)); }

/// Keys whose texts an anonymized file keeps.
constexpr std::string_view kKept =
    "workload name version git_commit run_id started_at finished_at interleaved_run variant os kernel cpu "
    "libtorch_version allocator governor libtorch_build peak_measured_at peak_from_rows calibrated_at "
    "model driver architecture device_model device device_link link sha256 provenance protocol kind "
    "set op sizes type direction cache backend status clock peak_source bottleneck likely_cause "
    "dataset execution precision layout loader sample_unit execution_used layout_used optimizer "
    "skip_rule stopped_by parameter_checksum energy_scope meter scope quantity method check subject "
    "claim content_sha256";

bool is_kept(const std::string& key) {
  return (" " + std::string(kKept) + " ").find(" " + key + " ") != std::string::npos;
}

/// Puts a secret before each text of `value`, which is the `key` of a `parent`, unless an anonymized
/// file keeps it.
void plant(Json& value, const std::string& parent, const std::string& key) {
  const bool stays = is_kept(key) && parent != "absent" && !(parent == "files" && key == "name");
  if (value.is_string() && !stays) value = "secret " + value.get<std::string>();
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

}  // namespace

TEST_CASE("validate prints ok for valid files and each error of others", "[seam]") {
  Gpubench gpubench;
  const std::string good = source_dir() + "/tests/data/expected/run.json";
  auto result = gpubench.run({"file", "validate", good, source_dir() + "/tests/data/expected/ops.json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("run.json: ok\n"));
  CHECK_THAT(result.out, contains_text("ops.json: ok\n"));

  Json changed = read(good);
  changed["results"][0]["figures"]["median_epoch_seconds"] = 0.001;
  std::ofstream(gpubench.folder() / "changed.json") << changed;
  std::ofstream(gpubench.folder() / "torn.json") << "{";
  result = gpubench.run({"file", "validate", good, "changed.json", "torn.json", "none.json"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, contains_text("run.json: ok\n"));
  CHECK_THAT(result.out, contains_text("changed.json: results[0].figures.median_epoch_seconds: "));
  CHECK_THAT(result.out, contains_text("changed.json: content_sha256: "));
  CHECK_THAT(result.out, contains_text("torn.json: not valid JSON"));
  CHECK_THAT(result.out, contains_text("none.json: cannot be read"));
}

TEST_CASE("every reader refuses a document of another version in one line with a remedy", "[seam]") {
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
  refuse("alpha-cpu.json", {{"file", "validate", "other.json"},
                            {"show", "other.json"},
                            {"file", "anonymize", "other.json", "-o", "new.json"},
                            {"compare", kAlpha, "other.json"},
                            {"report", "other.json", "-q", "-o", "new.html"}});
  refuse("operations.json", {{"file", "validate", "other.json"},
                             {"show", "other.json"},
                             {"file", "anonymize", "other.json", "-o", "new.json"},
                             {"compare", "other.json", "other.json"}});
}

TEST_CASE("anonymize removes every text except product names, versions and words of gpubench", "[seam]") {
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
    const auto result = gpubench.run({"file", "anonymize", "planted.json", "-o", "shared.json", "--force"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, contains_text("removed: arguments, ") && contains_text(", host, "));
    CHECK_THAT(to_text(gpubench.folder() / "shared.json"), !contains_text("secret"));
    CHECK(gpubench.run({"file", "validate", "shared.json"}).out == "shared.json: ok\n");
    const Json shared = read(gpubench.folder() / "shared.json");
    CHECK(shared["tool"]["version"] == document["tool"]["version"]);
    CHECK(shared["environment"]["cpu"] == document["environment"]["cpu"]);
    CHECK(shared["environment"]["devices"][0]["model"] == document["environment"]["devices"][0]["model"]);
    CHECK(shared["environment"]["ranks"][0]["link"] == "loopback");
    CHECK(shared["environment"]["ranks"][0]["missing"]["identity"] == "removed");
    CHECK_THAT(gpubench.run({"file", "anonymize", "shared.json"}).err, contains_text("removed: nothing"));
  }
}

}  // namespace gpubench::test::documents_test
