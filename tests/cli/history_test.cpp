// `gpubench history`, with the real binary and stores made by importing result files.

#include <fstream>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"
#include "tsv_table.h"

namespace gpubench::test::history_test {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json read_json(const fs::path& path) { return json::parse(to_text(path)); }

/// The program with its own store.
class History : public Gpubench {
 public:
  History() { set("GPUBENCH_STORE", store().string()); }

  fs::path store() const { return folder() / "state" / "store.sqlite"; }

  /// Writes a result of two rows that started on this day. Epochs take `factor` times as long as in the
  /// fixture.
  fs::path write_run(const std::string& day, double factor = 1,
                     const std::string& libtorch = "2.11.0") const {
    json document = read_json(fixtures_dir() + "/results/alpha-cpu.json");
    document["tool"]["started_at"] = day + "T04:05:06Z";
    document["tool"]["finished_at"] = day + "T04:06:00Z";
    document["environment"]["libtorch_version"] = libtorch;
    json rows = json::array();
    for (json& row : document["results"]) {
      if (row["asked"]["batch_size"] != 128 || row["asked"]["model"] == "lstm") continue;
      for (json& seconds : row["samples"]["epoch_seconds"]) seconds = factor * seconds.get<double>();
      rows.push_back(row);
    }
    document["results"] = rows;
    return write("runs/" + day + ".json", document.dump());
  }

  /// Imports four runs; the last one is 10 % slower and has another LibTorch.
  void add_runs() const {
    write_run("2026-01-01");
    write_run("2026-01-08", 1.01);
    write_run("2026-01-15", 0.99);
    write_run("2026-02-01", 1.1, "2.12.0");
    CHECK(run({"history", "import", "runs"}).exit_code == 0);
  }

  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path path = folder() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  /// Overwrites bytes of the store.
  void overwrite(std::streamoff place, const std::string& bytes) const {
    std::fstream file(store(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(place);
    file << bytes;
  }

  std::vector<TsvRow> table(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "tsv"});
    const ProcessResult result = run(words);
    CHECK(result.exit_code == 0);
    return parse_tsv(result.out);
  }
};

// Offsets in the header of an SQLite file: https://www.sqlite.org/fileformat.html
constexpr std::streamoff kUserVersion = 60;
constexpr std::streamoff kApplicationId = 68;

}  // namespace

TEST_CASE("history lists the series of imported results, independent of the order of import") {
  History history;
  history.write_run("2026-02-01", 1.1);
  CHECK(history.run({"history", "import", "runs"}).exit_code == 0);
  history.write_run("2026-01-01");
  CHECK(history.run({"history", "import", "runs"})
            .out.starts_with("1 added, 1 already in the store, 0 refused: /"));

  const auto series = history.table({"history", "list"});
  REQUIRE(series.size() == 2);
  CHECK_THAT(series[0].at("work"), contains_text("mlp on cpu, fashion-mnist, batch 128"));
  CHECK(series[0].at("machine") == "Processor 9000");
  CHECK(series[0].at("runs") == "2");
  CHECK(series[0].at("first_at") == "2026-01-01T04:05:06Z");
  CHECK(series[0].at("last_at") == "2026-02-01T04:05:06Z");
  CHECK(std::stod(series[0].at("last_value")) == approx(2.64));

  const auto runs = history.table({"history", "list", "--runs"});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].at("started (UTC)") == "2026-01-01T04:05:06Z");
  CHECK(runs[0].at("rows") == "2");
  CHECK(runs[0].at("state") == "finished");
  CHECK_THAT(runs[0].at("result file"), contains_text("2026-01-01.json"));
}

TEST_CASE("history shows a series with a chart and the changes between its runs") {
  History history;
  history.add_runs();
  const auto shown = history.run({"history", "show", "cnn"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.err.empty());
  CHECK_THAT(shown.out, contains_text("On Processor 9000: 4 runs from 2026-01-01 to 2026-02-01."));
  CHECK_THAT(shown.out, contains_text("LibTorch 2.11.0 -> 2.12.0"));
  CHECK_THAT(shown.out, contains_text("●"));
  CHECK_THAT(shown.out, contains_text("2026-02-01 04:05"));

  const auto rows = history.table({"history", "show", "cnn", "--last", "2", "--metric", "time,start-up"});
  REQUIRE(rows.size() == 2);
  CHECK(std::stod(rows[1].at("median_epoch_seconds")) == approx(12.98));
  CHECK(std::stod(rows[1].at("startup_seconds")) > 0);
  CHECK(rows[1].at("changes") == "LibTorch 2.11.0 -> 2.12.0");

  const auto picture = history.run({"history", "show", "cnn", "--format", "svg"});
  CHECK(picture.out.starts_with("<?xml"));
  CHECK_THAT(picture.out, contains_text("epoch time"));
  CHECK_THAT(picture.out, !contains_text("no chart"));
  CHECK_THAT(history.run({"history", "show", "cnn", "--format", "html"}).out, contains_text("<svg"));
}

TEST_CASE("a series is selected by its number or by unique words of its name") {
  History history;
  history.add_runs();
  const std::string number = history.table({"history", "list"})[1].at("series");
  CHECK_THAT(history.run({"history", "show", number}).out, contains_text("cnn on cpu"));
  const auto ambiguous = history.run({"history", "show", "batch", "128"});
  CHECK(ambiguous.exit_code == 2);
  CHECK_THAT(ambiguous.err, contains_text("series 'batch 128': 2 series match: 1 (mlp on cpu"));
  CHECK_THAT(history.run({"history", "show", "resnet"}).err, contains_text("is not in the store"));
  const auto metric = history.run({"history", "show", "cnn", "--metric", "tim"});
  CHECK(metric.exit_code == 2);
  CHECK_THAT(metric.err, contains_text("did you mean 'time'?"));
}

TEST_CASE("an exported run equals its file, and is imported only once") {
  History history;
  const fs::path file = history.write_run("2026-01-01");
  CHECK(history.run({"history", "import", file}).exit_code == 0);
  CHECK(history.run({"history", "export", "1", "-o", "saved.json"}).exit_code == 0);
  CHECK(history.run({"file", "validate", "saved.json"}).exit_code == 0);
  const json before = read_json(file);
  const json after = read_json(history.folder() / "saved.json");
  CHECK(after["tool"]["started_at"] == before["tool"]["started_at"]);
  CHECK(after["environment"]["devices"][0]["driver"] == before["environment"]["devices"][0]["driver"]);
  REQUIRE(after["results"].size() == before["results"].size());
  for (std::size_t i = 0; i < before["results"].size(); ++i)
    CHECK(after["results"][i]["samples"]["epoch_seconds"] ==
          before["results"][i]["samples"]["epoch_seconds"]);

  CHECK(history.run({"history", "import", "saved.json"}).out.starts_with("0 added, 1 already in the store"));
  history.set("GPUBENCH_STORE", (history.folder() / "other.sqlite").string());
  CHECK(history.run({"history", "import", "saved.json"}).out.starts_with("1 added"));
  CHECK(history.run({"history", "export", "1"}).out == to_text(history.folder() / "saved.json"));
}

TEST_CASE("export --all writes a file per run") {
  History history;
  history.add_runs();
  CHECK(history.run({"history", "export", "--all"}).exit_code == 2);
  CHECK(history.run({"history", "export", "--all", "-o", "saved"}).out == "4 of 4 runs exported to saved\n");
  CHECK(history.run({"history", "export", "--all", "-o", "saved"}).exit_code == 2);  // The files exist.
  history.set("GPUBENCH_STORE", (history.folder() / "other.sqlite").string());
  CHECK(history.run({"history", "import", "saved"}).out.starts_with("4 added"));
}

TEST_CASE("import reports damaged files and other documents, and imports the rest") {
  History history;
  history.write_run("2026-01-01");
  history.write("runs/damaged.json", "{\"schema_version\": 1");
  fs::copy(fixtures_dir() + "/../fuzz/corpus/selftest/measured.json",
           history.folder() / "runs/selftest.json");
  const auto result = history.run({"history", "import", "runs"});
  CHECK(result.exit_code == 3);
  CHECK(result.out.starts_with("1 added, 0 already in the store, 1 refused"));
  CHECK_THAT(result.err, contains_text("damaged.json: "));
  CHECK_THAT(result.err, contains_text("selftest.json: skipped: is a selftest"));
  CHECK(history.run({"history", "import", "runs/2026-01-01.json", "runs/selftest.json"}).exit_code == 0);
  CHECK(history.run({"history", "import", "runs/selftest.json"}).exit_code == 3);
  CHECK(history.run({"history", "import", "published:rtx-2070-super"}).exit_code == 2);
}

TEST_CASE("the complete file of an interrupted run replaces it in the store") {
  History history;
  const fs::path file = history.write_run("2026-01-01");
  json document = read_json(file);
  document["tool"]["run_id"] = std::string(32, 'a');
  const json complete = document;
  document["tool"]["finished_at"] = nullptr;
  document["results"][1]["status"] = "interrupted";
  history.write("part.json", document.dump());
  history.write("whole.json", complete.dump());
  CHECK(history.run({"history", "import", "part.json"}).exit_code == 0);
  CHECK(history.table({"history", "list", "--runs"})[0].at("state") == "unfinished");
  CHECK(history.table({"history", "list"}).size() == 1);
  CHECK(history.run({"history", "import", "whole.json"}).out.starts_with("1 added"));
  const auto runs = history.table({"history", "list", "--runs"});
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].at("state") == "finished");
  CHECK(history.table({"history", "list"}).size() == 2);
  CHECK(history.run({"history", "import", "part.json"}).out.starts_with("0 added"));
}

TEST_CASE("remove deletes runs and series without runs") {
  History history;
  history.add_runs();
  CHECK_THAT(history.run({"history", "remove", "--before", "2026-01-10", "--dry-run"}).out,
             contains_text("2026-01-08"));
  CHECK(history.table({"history", "list", "--runs"}).size() == 4);
  CHECK(history.run({"history", "remove", "--before", "2026-01-10"}).exit_code == 0);
  const auto series = history.table({"history", "list"});
  REQUIRE(series.size() == 2);
  CHECK(series[0].at("runs") == "2");
  CHECK(series[0].at("first_at") == "2026-01-15T04:05:06Z");

  const std::string last = history.table({"history", "list", "--runs"}).back().at("run");
  CHECK(history.run({"history", "remove", last}).exit_code == 0);
  CHECK(history.run({"history", "remove", last}).exit_code == 2);
  CHECK(history.run({"history", "remove", "--before", "yesterday"}).exit_code == 2);
  CHECK(history.run({"history", "remove"}).exit_code == 2);
  CHECK(history.run({"history", "remove", "--series", "mlp"}).exit_code == 0);
  CHECK(history.table({"history", "list"}).empty());
}

TEST_CASE("the error for a missing, damaged, newer or foreign store is one line") {
  History history;
  const auto missing = history.run({"history", "list"});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, contains_text("store.sqlite: does not exist yet; run a benchmark"));

  history.add_runs();
  CHECK_THAT(history.run({"history", "check"}).out,
             contains_text("runs       4 (0 unfinished, 0 running)\n"));
  const std::string sound = to_text(history.store());

  history.overwrite(kUserVersion, std::string("\0\0\1\0", 4));
  CHECK_THAT(history.run({"history", "list"}).err, contains_text("was written by a newer gpubench"));
  CHECK(history.run({"history", "list"}).exit_code == 2);
  CHECK(history.run({"history", "check"}).exit_code == 3);

  history.write("state/store.sqlite", sound);
  history.overwrite(kApplicationId, "abcd");
  CHECK_THAT(history.run({"history", "list"}).err, contains_text("is a database of another program"));

  history.write("state/store.sqlite", sound);
  history.overwrite(4096, std::string(sound.size() - 4096, 'x'));
  const auto damaged = history.run({"history", "check"});
  CHECK(damaged.exit_code == 3);
  CHECK_THAT(damaged.out, contains_text("history import"));
  CHECK(history.run({"history", "list"}).exit_code == 3);

  history.write("state/store.sqlite", "no database");
  CHECK_THAT(history.run({"history", "list"}).err, contains_text("is damaged or not an SQLite database"));
}

TEST_CASE("export saves the readable runs of a store with a damaged page") {
  History history;
  history.add_runs();
  const std::string sound = to_text(history.store());
  // The last occurrence of the text in the file is in the record of a row or header.
  const std::size_t place = sound.rfind("epoch_seconds");
  REQUIRE(place != std::string::npos);
  const auto page = static_cast<std::streamoff>(place / 4096 * 4096);
  history.overwrite(page, std::string(4096, '\0'));
  CHECK(history.run({"history", "check"}).exit_code == 3);
  const auto saved = history.run({"history", "export", "--all", "-o", "saved"});
  CHECK(saved.exit_code == 3);
  CHECK_THAT(saved.out, contains_text("of 4 runs exported"));
}

}  // namespace gpubench::test::history_test
