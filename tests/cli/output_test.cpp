// Output to pipes and full devices, and passwords in messages.

#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "gpubench/core/io/files.h"
#include "gpubench/core/text/utf8.h"
#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::output_test {

namespace {

const std::string kAlpha = fixtures_dir() + "/results/alpha-cpu.json";

/// Returns the columns of the longest line.
std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

Json parse_output(const Gpubench& gpubench, std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  const auto result = gpubench.run(words);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return Json::parse(result.out);
}

/// Returns the shell command of a run with stand-in workers.
std::string shell_run() {
  std::string words = "\"$0\"";
  for (const std::string& word : Supervision::arguments()) words += " " + word;
  return words;
}

}  // namespace

TEST_CASE("a run into a pipe writes one document and is not stored", "[seam]") {
  const Supervision supervision;
  const auto folder = supervision.gpubench().folder();
  REQUIRE(mkfifo((folder / "run.json").c_str(), 0600) == 0);
  const auto result = supervision.gpubench().run_shell("cat run.json > read & " + shell_run() + "; wait");
  INFO(result.err);
  CHECK(std::filesystem::is_fifo(folder / "run.json"));
  CHECK(supervision.stored().rows == 0);
  check_all_ok(Json::parse(to_text(folder / "read")));
}

TEST_CASE("a password in GPUBENCH_BASE_URL is neither printed nor stored") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker());
  gpubench.set("GPUBENCH_BASE_URL", "http://alice:secret@127.0.0.1:1");
  const auto result = gpubench.run(
      {"--model", "mlp", "--device", "cpu", "--max-samples", "4", "--data-dir", "data", "-o", "run.json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains_text("http://***@127.0.0.1:1/"));
  for (const std::string& text :
       {result.out, result.err, to_text(gpubench.folder() / "run.json"), to_text(gpubench.store())}) {
    CHECK_FALSE(text.empty());
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("alice") == std::string::npos);
  }
  CHECK(gpubench.run({"--resume", "run.json", "--data-dir", "data"}).exit_code == 0);
  const auto fetched = gpubench.run({"data", "fetch", "mnist", "--data-dir", "data"});
  CHECK(fetched.exit_code == 3);
  CHECK(fetched.err.find("secret") == std::string::npos);
}

TEST_CASE("tables fit 80 columns, or those of COLUMNS") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_DATA_DIR", "data");  // Paths are not broken.
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list", "models"},
                                                {"list", "datasets"},
                                                {"list", "meters"},
                                                {"list", "ops"},
                                                {"list", "devices"},
                                                {"suite", "list"},
                                                {"doctor"},
                                                {"show", kAlpha}}) {
    INFO(words.back());
    CHECK(widest_line(gpubench.run(words).out) <= 80);
  }
  const std::string narrow = gpubench.run({"list", "meters"}).out;
  gpubench.set("COLUMNS", "150");
  const std::string wide = gpubench.run({"list", "meters"}).out;
  CHECK(widest_line(wide) > 80);
  CHECK(widest_line(wide) <= 150);
  CHECK(std::ranges::count(wide, '\n') < std::ranges::count(narrow, '\n'));
}

TEST_CASE("show names the columns that do not fit, and --details shows them") {
  Gpubench gpubench;
  const std::string file = fixtures_dir() + "/results/eventful.json";
  CHECK_THAT(gpubench.run({"show", file}).out, contains_text("- Not shown: ") && contains_text("--details"));
  CHECK_THAT(gpubench.run({"show", file, "--details"}).out, !contains_text("Not shown"));
  gpubench.set("COLUMNS", "200");
  CHECK_THAT(gpubench.run({"show", file}).out, !contains_text("Not shown") && contains_text("MFU"));
}

TEST_CASE("pages are printed as JSON, and report never writes one over a result") {
  const Gpubench gpubench;
  const Json shown = parse_output(gpubench, {"show", kAlpha});
  CHECK(shown["title"] == "alpha-cpu.json");
  CHECK(shown["sections"][0]["title"] == "Cases");
  const Json measured = Json::parse(to_text(kAlpha))["results"];
  REQUIRE(shown["data"].size() == measured.size());
  CHECK(shown["data"][0]["model"] == "mlp");
  CHECK(shown["data"][0]["batch_size"] == measured[0]["asked"]["batch_size"]);

  const Json compared = parse_output(gpubench, {"compare", kAlpha, "published:rtx-2070-super"});
  CHECK_FALSE(compared["summary"].empty());
  CHECK_FALSE(compared["data"].empty());
  CHECK(parse_output(gpubench, {"compare", kAlpha, kAlpha, "--values", "runs"})["data"].size() > 0);
  const auto gate = gpubench.run({"compare", kAlpha, kAlpha, "--gate", "5%", "--format", "json"});
  CHECK(Json::parse(gate.out).contains("answer"));

  std::filesystem::copy_file(kAlpha, gpubench.folder() / "mine.json");
  const auto refused = gpubench.run({"report", kAlpha, "-o", "mine.json"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, contains_text("--output mine.json: has no known extension; use .txt, ") &&
                              !contains_text(".json,"));
  CHECK(to_text(gpubench.folder() / "mine.json") == to_text(kAlpha));
}

TEST_CASE("doctor prints the same items as text and as JSON") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_DATA_DIR", "nothing");
  const Json document = parse_output(gpubench, {"doctor"});
  gpubench.set("COLUMNS", "200");
  const std::string text = gpubench.run({"doctor"}).out;
  CHECK(document["data"].size() > 20);
  bool has_dataset = false;
  for (const Json& row : document["data"]) {
    CHECK((row["status"] == "ok" || row["status"] == "--" || row["status"] == "n/a"));
    CHECK_THAT(text, contains_text(row["item"].get<std::string>()));
    has_dataset = has_dataset || (row["item"] == "dataset mnist" && row["status"] == "--");
  }
  CHECK(has_dataset);
}

TEST_CASE("a log gets a line per finished case and the remaining time, but not with --quiet", "[seam]") {
  const Supervision supervision("--fault abort --only mlp:32");
  const auto loud = supervision.run({"--repeat", "2"});
  CHECK_THAT(loud.err, contains_text("[1/12] ") && contains_text("mlp cpu batch 32: crashed: ") &&
                           contains_text("mlp cpu batch 16, repeat 2: ok, ") &&
                           contains_text(" per epoch; ") && contains_text(" left\n[12/12] "));
  CHECK(std::ranges::count(loud.err, '[') == 12);
  CHECK_THAT(loud.out, contains_text("\n- Synthetic data for "));

  const auto quiet = supervision.run({"--repeat", "2", "--quiet", "--force"});
  CHECK(quiet.err.empty());
  CHECK_THAT(quiet.out, contains_text("model ") && contains_text("signal 6") && !contains_text("\n- "));
}

TEST_CASE("history remove --dry-run reports that no run matches") {
  const Supervision supervision;
  CHECK(supervision.run().exit_code == 0);
  const auto& gpubench = supervision.gpubench();
  CHECK(gpubench.run({"history", "remove", "--before", "2020-01-01", "--dry-run"}).out ==
        "No run matches.\n");
  CHECK(supervision.stored().rows == 6);
}

}  // namespace gpubench::test::output_test
