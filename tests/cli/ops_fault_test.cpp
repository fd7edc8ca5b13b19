// Failing operations do not affect the supervisor. The workers are stand-ins.

#include <signal.h>

#include <map>
#include <set>

#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test::ops_fault_test {

namespace {

/// Runs tables of relu, sigmoid and softplus with stand-in workers into ops.json.
class OpsTable {
 public:
  explicit OpsTable(const std::string& behaviour = "") { behave(behaviour); }

  void behave(const std::string& behaviour) {
    gpubench_.set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " " + behaviour);
  }
  static std::vector<std::string> arguments(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"ops", "--op",    "relu,sigmoid,softplus", "--set", "small",
                                   "-o",  "ops.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  ProcessResult run(const std::vector<std::string>& more = {}) const {
    return gpubench_.run(arguments(more));
  }
  ProcessResult resume() const { return gpubench_.run({"--resume", "ops.json"}); }
  const Gpubench& gpubench() const { return gpubench_; }

  Json document() const {
    Json document = Json::parse(to_text(gpubench_.folder() / "ops.json"));
    CHECK(schema_errors(document) == std::vector<std::string>());
    return document;
  }
  Json rows() const { return document()["results"]; }

 private:
  Gpubench gpubench_;
};

std::string join_statuses(const Json& rows) {
  std::string words;
  for (const Json& row : rows) words += row["status"].get<std::string>() + " ";
  return words;
}

/// Returns the worker that ran the row, as the stand-in reports it.
std::string find_worker(const Json& row) { return row["warnings"][0]["text"]; }

}  // namespace

TEST_CASE("a fault in an operation affects only its row, and the next row gets another worker", "[seam]") {
  const std::map<std::string, std::pair<std::string, std::string>> faults = {
      {"segv", {"crashed", "signal 11"}},
      {"kill9", {"crashed", "signal 9"}},
      {"abort", {"crashed", "signal 6"}},
      {"exit0", {"crashed", "exit code 0 and without a result"}},
      {"exit7", {"crashed", "exit code 7 and without a result"}},
      {"close-replies", {"crashed", "without a result"}},
      {"garbage", {"error", "this is "}},
      {"wrong-answer", {"error", "an unexpected reply"}},
      {"error", {"error", "injected fault"}},
      {"endless-line", {"error", "an endless line"}},
      {"chatter", {"crashed", "signal 6"}}};
  for (const auto& [fault, wanted] : faults) {
    INFO(fault);
    const OpsTable table("--fault " + fault + " --only sigmoid");
    const auto result = table.run();
    CHECK(result.exit_code == 5);
    CHECK_THAT(result.out, contains_text("Not ok: " + wanted.first + ": sigmoid"));
    const Json rows = table.rows();
    CHECK(join_statuses(rows) == "ok " + wanted.first + " ok ");
    if (wanted.second.starts_with("signal"))
      CHECK(rows[1]["stderr_tail"].back() == "the fake worker is about to fail");
    CHECK_THAT(rows[1]["status_message"].get<std::string>(), contains_text(wanted.second));
    CHECK(rows[1]["samples"]["call_seconds"].empty());
    CHECK(rows[0]["samples"]["call_seconds"] == Json({0.5, 0.25, 0.375}));
  }
}

TEST_CASE("a hanging operation ends at --timeout, and the next row runs", "[seam]") {
  const OpsTable table("--fault hang --only relu");
  CHECK(table.run({"--timeout", "2s"}).exit_code == 5);
  CHECK(join_statuses(table.rows()) == "timeout ok ok ");
}

TEST_CASE("if every operation fails, each has a failed row, and --resume measures them all", "[seam]") {
  OpsTable table("--fault exit7");
  CHECK(table.run().exit_code == 5);
  CHECK(join_statuses(table.rows()) == "crashed crashed crashed ");
  CHECK(table.resume().exit_code == 5);
  CHECK(join_statuses(table.rows()) == "crashed crashed crashed ");
  table.behave("");
  CHECK(table.resume().exit_code == 0);
  CHECK(join_statuses(table.rows()) == "ok ok ok ");
}

TEST_CASE("--resume completes an interrupted table of operations and keeps its first rows", "[seam]") {
  OpsTable table("--fault await-stop --only sigmoid");
  StartedProcess process = table.gpubench().start(OpsTable::arguments());
  REQUIRE(wait_until([&] { return count_stored(table.gpubench().store()).ended == 1; }));
  process.send(SIGTERM);
  const auto result = process.wait();
  INFO(result.err);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.err, contains_text("stopping after this row"));
  CHECK_THAT(result.out, contains_text("relu"));
  CHECK(table.document()["tool"]["finished_at"].is_null());
  const Json before = table.rows();
  REQUIRE(before.size() == 3);
  CHECK(before[0]["status"] == "ok");
  CHECK(before[2]["status"] == "interrupted");
  table.behave("");
  CHECK(table.resume().exit_code == 0);
  CHECK(join_statuses(table.rows()) == "ok ok ok ");
  check_kept(before, table.rows());
}

TEST_CASE("each repeat of a table of operations runs in one process of its own", "[seam]") {
  const OpsTable table;
  const auto result = table.run({"--repeat", "3"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json document = table.document();
  CHECK(document["results"].size() == 9);
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
  const auto compared = table.gpubench().run({"compare", "ops.json", "ops.json", "--gate", "5%"});
  INFO(compared.out);
  CHECK(compared.exit_code == 0);
}

TEST_CASE("--resume with a different table of operations is an error", "[seam]") {
  const OpsTable table;
  CHECK(table.run().exit_code == 0);
  const auto refuses = [&](const std::vector<std::string>& arguments, int exit_code,
                           const std::string& text) {
    const auto result = table.gpubench().run(arguments);
    CHECK(result.exit_code == exit_code);
    CHECK_THAT(result.err, contains_text(text));
  };
  refuses({"ops", "--resume", "ops.json", "--seed", "3"}, 2, "row 1, seed: was 0, now 3");
  refuses({"ops", "--resume", "absent.json"}, 2, "absent.json: does not exist");
}

}  // namespace gpubench::test::ops_fault_test
