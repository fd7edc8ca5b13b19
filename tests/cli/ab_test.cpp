// `gpubench ab`, with commands that print known figures, and with gpubench itself.

#include <signal.h>

#include <fstream>
#include <sstream>

#include "supervision.h"
#include "support/catch.h"
#include "support/schema.h"

namespace gpubench::test::ab_test {

namespace {

using Words = std::vector<std::string>;

/// Returns a command that appends its name to the file `log` and prints `figure`.
std::string peer(const std::string& name, const std::string& figure) {
  return "echo " + name + " >> log; printf '{\"images_per_s\": %s}' " + figure;
}

/// Returns shell code that counts the lines `name` in the log.
std::string calls(const std::string& name) { return "$(grep -c " + name + " log)"; }

class Ab {
 public:
  ProcessResult run(const std::string& a, const std::string& b, const Words& more = {}) const {
    return gpubench.run(arguments(a, b, more));
  }
  static Words arguments(const std::string& a, const std::string& b, const Words& more = {}) {
    Words words{"ab", "--output", "x", "--force", "--command", a};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--vs", "--command", b});
    return words;
  }
  ProcessResult resume(const Words& more = {}) const {
    Words words{"ab", "--resume", "x-a.json"};
    words.insert(words.end(), more.begin(), more.end());
    return gpubench.run(words);
  }

  std::filesystem::path path(const std::string& variant) const {
    return gpubench.folder() / ("x-" + variant + ".json");
  }
  /// Returns the document of a variant. Fails the test if it is not valid.
  Json document(const std::string& variant) const {
    std::ifstream in(path(variant));
    REQUIRE(in);
    Json document = Json::parse(in);
    for (const std::string& error : schema_errors(document)) {
      INFO(error);
      CHECK(error.empty());
    }
    return document;
  }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(gpubench.folder() / "log").rdbuf();
    return text.str();
  }

  Gpubench gpubench;
};

/// Returns the rounds of a document in their order: "1 2 3 ".
std::string rounds(const Json& document) {
  std::string text;
  for (const Json& row : document["results"]) text += row["asked"]["repeat"].dump() + " ";
  return text;
}

}  // namespace

TEST_CASE("a clear difference between two commands ends ab with a verdict and a document for each",
          "[seam]") {
  const Ab ab;
  const ProcessResult result = ab.run(peer("a", "100"), peer("b", "110"));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("1.10 times as fast"));
  CHECK_THAT(result.out, contains_text("faster"));
  CHECK_THAT(result.out, contains_text("Times come from another program, not from gpubench."));
  CHECK_THAT(result.err, contains_text("verdict after"));
  CHECK_THAT(result.err, contains_text("round 1: B 1.10 times as fast as A"));
  CHECK_THAT(result.err, contains_text("x-a.json and x-b.json"));
  const Json a = ab.document("a");
  const Json b = ab.document("b");
  CHECK(a["results"].size() >= 3);
  CHECK(a["results"].size() == b["results"].size());
  CHECK(a["plan"]["interleaved_run"] == b["plan"]["interleaved_run"]);
  CHECK((a["plan"]["variant"] == "A" && b["plan"]["variant"] == "B"));
  CHECK(a["tool"]["arguments"][0] == "ab");
  CHECK(a["tool"]["version"] == "another program");
  CHECK(ab.gpubench.run({"file", "validate", "x-a.json", "x-b.json"}).exit_code == 0);
  CHECK(ab.gpubench.run({"compare", "x-a.json", "x-b.json"}).out == result.out);
}

TEST_CASE("ab reports equal commands as equal within the margin") {
  const Ab ab;
  const std::string noise = "$((10000 + (" + calls("[ab]") + " * 7919) % 11))";
  const ProcessResult result = ab.run(peer("a", noise), peer("b", noise), {"--equivalence-margin", "0.5%"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("equal within 0.5 %"));
  CHECK_THAT(result.err, contains_text("verdict after"));
  CHECK_THAT(ab.gpubench.run({"compare", "x-a.json", "x-b.json"}).out, contains_text("equal within 2 %"));
}

TEST_CASE("ab ends after --rounds, and when the budget has no time for another round") {
  const Ab ab;
  const std::string wild = "$((100 + 50 * (" + calls("[ab]") + " % 3)))";
  CHECK_THAT(ab.run(peer("a", wild), peer("b", wild), {"--rounds", "2", "--seed", "1"}).err,
             contains_text("; results in"));
  CHECK(rounds(ab.document("a")) == "1 2 ");
  const ProcessResult brief = ab.run(peer("a", "5"), peer("b", "5"), {"--budget", "1ms"});
  CHECK(brief.exit_code == 0);
  CHECK_THAT(brief.err, contains_text("budget"));
  CHECK(rounds(ab.document("b")) == "1 ");
}

TEST_CASE("a command without a figure becomes a row with the reason, and three in a row end ab") {
  const Ab ab;
  const ProcessResult result = ab.run(peer("a", "100"), "echo still warming up >&2; echo garbage");
  CHECK(result.exit_code == 5);
  CHECK_THAT(
      result.err,
      contains_text(
          "variant B: the run printed no figure: the command printed no JSON object; output began: garbage"));
  CHECK_THAT(result.err, contains_text("still warming up"));
  CHECK_THAT(result.err, contains_text("variant B failed 3 times in a row"));
  const Json row = ab.document("b")["results"][2];
  CHECK((row["status"] == "error" && row["asked"]["repeat"] == 3));
  CHECK(row["stderr_tail"][0] == "still warming up");
  CHECK(ab.document("a")["results"][0]["status"] == "ok");
}

TEST_CASE("ab reports a failed round and decides by the others") {
  const Ab ab;
  const std::string fails_once =
      "echo b >> log; test " + calls("b") + " -ne 2 && { " + peer("c", "110") + "; }";
  const ProcessResult result = ab.run(peer("a", "100"), fails_once);
  INFO(result.err);
  CHECK(result.exit_code == 5);
  CHECK_THAT(result.err, contains_text("round 2, variant B: the run ended with exit code 1"));
  CHECK_THAT(result.err, contains_text("verdict after"));
  CHECK(ab.document("b")["results"][1]["status"] == "error");
}

TEST_CASE("the gate of ab has the exit codes of compare", "[seam]") {
  const Ab ab;
  CHECK(ab.run(peer("a", "100"), peer("b", "80"), {"--gate", "5%"}).exit_code == 6);
  CHECK(ab.run(peer("a", "100"), peer("b", "100"), {"--gate", "5%"}).exit_code == 0);
  const std::string wild = "$((100 + 50 * (" + calls("[ab]") + " % 3)))";
  CHECK(ab.run(peer("a", wild), peer("b", "120"), {"--gate", "5%", "--rounds", "2"}).exit_code == 7);
}

TEST_CASE("a dry run prints the commands and their order, and runs nothing") {
  const Ab ab;
  const ProcessResult result =
      ab.run(peer("a", "1"), peer("b", "2"), {"--dry-run", "--rounds", "3", "--wrapper", "nice -n 1"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("A: nice -n 1 echo a >> log;"));
  CHECK_THAT(result.out, contains_text("B: nice -n 1 echo b >> log;"));
  CHECK_THAT(result.out, contains_text("\nround 3: "));
  CHECK(ab.log().empty());
  CHECK_FALSE(std::filesystem::exists(ab.path("a")));
}

TEST_CASE("options of the whole comparison may be on either side of --vs") {
  const Ab ab;
  const auto run = [&](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return ab.gpubench.run(words);
  };
  // The first example of docs/ab-and-ci.md.
  const Words documented{"ab", "--model", "cnn", "--vs", "--program", gpubench_binary(), "--gate", "5%"};
  CHECK_THAT(run(documented, {"--dry-run", "--rounds", "2"}).out, contains_text("\nround 2: "));
  const Words words{"ab", "--command", peer("a", "100"), "--vs", "--command", peer("b", "80")};
  CHECK(run(words, {"--gate", "5%", "-o", "y", "--min-rounds", "5", "--rounds", "5"}).exit_code == 7);
  // Options of --resume override those of the first run on either side of --vs.
  CHECK(ab.gpubench.run({"ab", "--resume", "y-a.json", "--rounds", "6", "--min-rounds", "6"}).exit_code == 7);
  CHECK(rounds(Json::parse(std::ifstream(ab.gpubench.folder() / "y-b.json"))) == "1 2 3 4 5 6 ");
  CHECK(ab.gpubench.run({"ab", "--resume", "y-a.json", "--vs", "--rounds", "9"}).exit_code == 2);
}

TEST_CASE("a killed ab keeps its trials, and --resume runs the others in the same order") {
  const Ab ab;
  const std::string a = "sleep 0.02; " + peer("a", "$((100 + " + calls("a") + " % 9 * 9))");
  const std::string b = "sleep 0.02; " + peer("b", "$((101 + " + calls("b") + " % 7 * 9))");
  const Words few{"--rounds", "8", "--min-rounds", "8", "--seed", "5"};
  CHECK(ab.run(a, b, few).exit_code == 0);
  const std::string whole = ab.log();
  std::filesystem::remove(ab.gpubench.folder() / "log");
  for (const char* variant : {"a", "b"}) std::filesystem::remove(ab.path(variant));

  StartedProcess process = ab.gpubench.start(Ab::arguments(a, b, few));
  REQUIRE(wait_until([&] { return ab.log().size() >= 10; }));
  process.send(SIGKILL);
  process.wait();
  const Json former = ab.document("a");
  const ProcessResult resumed = ab.resume();
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  const Json document = ab.document("a");
  CHECK(rounds(document) == "1 2 3 4 5 6 7 8 ");
  CHECK(rounds(ab.document("b")) == "1 2 3 4 5 6 7 8 ");
  for (std::size_t i = 0; i < former["results"].size(); ++i)
    CHECK(document["results"][i]["samples"] == former["results"][i]["samples"]);
  CHECK(document["plan"] == former["plan"]);
  // Only the trial in progress may have run twice.
  CHECK(ab.log().size() - whole.size() <= 2);
  CHECK(ab.resume({"--rounds", "9", "--min-rounds", "9"}).exit_code == 0);
  CHECK(rounds(ab.document("b")) == "1 2 3 4 5 6 7 8 9 ");
}

TEST_CASE("an interrupt ends ab after the current trial, and --resume completes it") {
  const Ab ab;
  StartedProcess process = ab.gpubench.start(Ab::arguments(
      "sleep 0.3; " + peer("a", "100"), "sleep 0.3; " + peer("b", "100"), {"--min-rounds", "20"}));
  REQUIRE(wait_until([&] { return !ab.log().empty(); }));
  process.send(SIGINT);
  const ProcessResult result = process.wait();
  INFO(result.err);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.err, contains_text("interrupted; results in"));
  const std::string written = std::filesystem::exists(ab.path("a")) ? "x-a.json" : "x-b.json";
  CHECK(ab.gpubench.run({"ab", "--resume", written, "--min-rounds", "3"}).exit_code == 0);
  CHECK(rounds(ab.document("a")).starts_with("1 2 3 "));
}

TEST_CASE("no process started by ab outlives it") {
  const Ab ab;
  StartedProcess process =
      ab.gpubench.start(Ab::arguments("echo $$ > pid; sleep 600; true", "echo $$ > pid; sleep 600; true"));
  pid_t peer = 0;
  REQUIRE(wait_until([&] { return bool(std::ifstream(ab.gpubench.folder() / "pid") >> peer); }));
  process.send(SIGKILL);
  process.wait();
  CHECK(wait_until([&] { return kill(peer, 0) != 0; }));
}

TEST_CASE("ab compares gpubench with itself and with another program") {
  const Ab ab;
  const Words training{"--model",  "mlp", "--dataset", "synthetic", "--max-samples", "256",
                       "--epochs", "3",   "--batch",   "64",        "--meter",       "none"};
  Words words{"ab", "--output", "x", "--rounds", "2"};
  words.insert(words.end(), training.begin(), training.end());
  words.insert(words.end(),
               {"--vs", "--threads", "1", "--wrapper", "env SIDE=B", "--vs", "--command", peer("c", "1000")});
  const ProcessResult result = ab.gpubench.run(words);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  for (const char* variant : {"a", "b", "c"}) {
    const Json document = ab.document(variant);
    CHECK(rounds(document) == "1 2 ");
    CHECK(statuses(document) == "ok ok ");
    CHECK(document["results"][0]["asked"]["model"] == "mlp");
    CHECK(document["results"][0]["facts"]["train_samples"] == 256);
  }
  CHECK(ab.document("b")["environment"]["threads"] == 1);
  CHECK(ab.document("c")["results"][0]["samples"]["epoch_seconds"][0] == 0.256);
  CHECK_THAT(result.out, contains_text("another program"));
}

TEST_CASE("a variant with invalid options ends ab with an error that names the variant") {
  const Ab ab;
  const ProcessResult result =
      ab.gpubench.run({"ab", "--output", "x", "--model", "mlp", "--dataset", "synthetic", "--max-samples",
                       "64", "--epochs", "2", "--vs", "--model", "nosuch"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, contains_text("variant B: "));
  CHECK_THAT(result.err, contains_text("nosuch"));
  const ProcessResult parsed = ab.gpubench.run({"ab", "--model", "mlp", "--vs", "--epochs", "many"});
  CHECK(parsed.exit_code == 2);
  CHECK_THAT(parsed.err, contains_text("--epochs"));
}

TEST_CASE("--torch takes precedence over the LibTorch that the program was built with") {
  const Ab ab;
  std::filesystem::create_directories(ab.gpubench.folder() / "torch" / "lib");
  for (const char* name : {"libtorch_cpu.so", "libtorch_cpu.dylib"})
    std::ofstream(ab.gpubench.folder() / "torch" / "lib" / name) << "no library";
  const ProcessResult result =
      ab.gpubench.run({"ab", "--output", "x", "--model", "mlp", "--dataset", "synthetic", "--max-samples",
                       "64", "--epochs", "2", "--rounds", "1", "--vs", "--torch", "torch"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, contains_text("variant B: "));
  CHECK_THAT(result.err, contains_text("torch/lib/libtorch_cpu"));
}

}  // namespace gpubench::test::ab_test
