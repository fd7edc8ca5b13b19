// Operations run, and fail, apart from the process that supervises them: with a stand-in for the worker.

#include <fstream>
#include <set>

#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test::ops_fault_test {

namespace {

/// A folder with a table of relu, sigmoid and softplus, two rows each, in ops.json.
class OpsSupervision {
 public:
  explicit OpsSupervision(const std::string& behaviour = "") { behave(behaviour); }

  void behave(const std::string& behaviour) {
    gpubench_.set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " " + behaviour);
  }

  static std::vector<std::string> arguments(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "ops", "--op", "relu,sigmoid,softplus", "--set", "small", "--dtype", "fp32,fp64", "-o", "ops.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  ProcessResult run(const std::vector<std::string>& more = {}) const {
    return gpubench_.run(arguments(more));
  }
  const Gpubench& gpubench() const { return gpubench_; }

  Json document() const { return read("ops.json"); }
  Json read(const std::string& name) const {
    std::ifstream in(gpubench_.folder() / name);
    REQUIRE(in);
    Json document = Json::parse(in);
    CHECK(schema_errors(document) == std::vector<std::string>());
    return document;
  }

 private:
  Gpubench gpubench_;
};

std::string list_statuses(const Json& document) {
  std::string text;
  for (const Json& row : document["results"]) text += row["status"].get<std::string>() + " ";
  return text;
}

/// Runs the table with a fault in both rows of sigmoid, which costs these and no other.
Json faulty_row(const std::string& fault, const std::string& status,
                const std::vector<std::string>& more = {}) {
  const OpsSupervision supervision("--fault " + fault + " --only sigmoid");
  const auto result = supervision.run(more);
  INFO(fault << ": " << result.err);
  CHECK(result.exit_code == 5);
  const Json document = supervision.document();
  CHECK(list_statuses(document) == "ok ok " + status + " " + status + " ok ok ");
  CHECK_THAT(result.out, contains_text("Not ok: " + status + ": sigmoid"));
  return document["results"][2];
}

/// Which worker the stand-in says that a row was run by.
std::string find_worker(const Json& row) { return row["warnings"][0]["text"]; }

}  // namespace

TEST_CASE("a crash inside an operation is a row, with the signal and its last words", "[seam]") {
  const Json row = faulty_row("segv", "crashed");
  CHECK_THAT(row["status_message"].get<std::string>(), contains_text("signal 11 ("));
  CHECK(row["stderr_tail"].back() == "the stand-in is about to fail");
  CHECK(row["samples"]["call_seconds"].empty());
  CHECK_THAT(faulty_row("exit7", "crashed")["status_message"].get<std::string>(),
             contains_text("exit code 7 and without a result"));
}

TEST_CASE("what a worker says instead of an operation's row is an error", "[seam]") {
  faulty_row("garbage", "error");
  faulty_row("wrong-answer", "error");
  faulty_row("error", "error");
}

TEST_CASE("rows of a repetition share a process, and each repetition has one of its own", "[seam]") {
  const OpsSupervision supervision;
  const auto result = supervision.run({"--repeat", "3"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json document = supervision.document();
  CHECK(document["results"].size() == 18);
  std::map<std::int64_t, std::set<std::string>> workers;
  for (const Json& row : document["results"]) workers[row["asked"]["repeat"]].insert(find_worker(row));
  CHECK(workers.size() == 3);
  std::set<std::string> all;
  for (const auto& [repeat, names] : workers) {
    CHECK(names.size() == 1);
    all.insert(names.begin(), names.end());
  }
  CHECK(all.size() == 3);
  CHECK_THAT(result.out, contains_text("repeat"));
  const auto compared = supervision.gpubench().run({"compare", "ops.json", "ops.json", "--gate", "5%"});
  INFO(compared.out);
  CHECK(compared.exit_code == 0);
}

TEST_CASE("a table that was broken off is completed by ops --resume, rows that failed tried again",
          "[seam]") {
  OpsSupervision supervision("--fault segv --only sigmoid");
  CHECK(supervision.run().exit_code == 5);
  const Json before = supervision.document();
  supervision.behave("");
  const auto result = supervision.gpubench().run({"ops", "--resume", "ops.json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json after = supervision.document();
  CHECK(list_statuses(after) == "ok ok ok ok ok ok ");
  CHECK(after["tool"]["arguments"] == before["tool"]["arguments"]);
  for (const std::size_t kept : {0U, 1U, 4U, 5U})
    CHECK(without_reasons(after["results"][kept]) == without_reasons(before["results"][kept]));
}

TEST_CASE("another table, or a training, does not continue a table of operations", "[seam]") {
  const OpsSupervision supervision;
  CHECK(supervision.run().exit_code == 0);
  const auto refuses = [&](const std::vector<std::string>& arguments, int exit_code,
                           const std::string& text) {
    const auto result = supervision.gpubench().run(arguments);
    CHECK(result.exit_code == exit_code);
    CHECK_THAT(result.err, contains_text(text));
  };
  refuses({"ops", "--resume", "ops.json", "--seed", "3"}, 2, "row 1, seed: 0 in the journal, 3 now");
  refuses({"--resume", "ops.json"}, 3, "continue it with 'gpubench ops --resume'");
  refuses({"ops", "--resume", "absent.json"}, 3, "absent.journal.jsonl: cannot be read");
}

TEST_CASE("a table that is to be shared names no host", "[seam]") {
  const OpsSupervision supervision;
  CHECK(supervision.run({"--anonymize"}).exit_code == 0);
  CHECK(supervision.document()["environment"]["host"] != "stand-in");
}

}  // namespace gpubench::test::ops_fault_test
