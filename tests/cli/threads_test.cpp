// Number of threads and their wait policy in results: in a process per case and in one process for all cases.

#include <filesystem>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"

namespace gpubench::test::threads_test {

namespace {

using Json = nlohmann::json;

/// Returns the result of a short run with these variables, without those of the test environment.
Json make_result(const std::string& variables, const std::string& options = "") {
  const auto result = Gpubench().run_shell(
      "env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT -u OMP_NUM_THREADS " + variables +
      " \"$0\" --model mlp --max-samples 16 --batch 16 --epochs 2 --dataset synthetic --device cpu -o - " +
      options);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return Json::parse(result.out);
}

std::string kinds_of_warnings(const Json& result) {
  std::string kinds;
  for (const Json& warning : result["results"][0]["warnings"])
    kinds += warning["kind"].get<std::string>() + " ";
  return kinds;
}

}  // namespace

TEST_CASE("variables that bind threads to cores do not change the available cores and the threads") {
  const Json free = make_result("")["environment"];
  CHECK(free["thread_variables"] == "");
  for (const std::string variable :
       {"OMP_PROC_BIND=close", "GOMP_CPU_AFFINITY=0-1023", "KMP_AFFINITY=compact"}) {
    INFO(variable);
    const Json result = make_result(variable);
    CHECK(result["environment"]["available_cores"] == free["available_cores"]);
    CHECK(result["environment"]["threads"] == free["threads"]);
    CHECK(result["environment"]["thread_variables"] == variable);
    CHECK_THAT(kinds_of_warnings(result), !contains_text("few-threads"));
  }
}

TEST_CASE("workers of a process that has already loaded LibTorch get all of its cores") {
  const auto format_cores = [](const std::string& variables) {
    const auto result = Gpubench().run_shell(
        "env " + variables + " \"$0\" ops --op softmax --shape '8x16 axis=1' --device cpu -q -o -");
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return Json::parse(result.out)["environment"]["available_cores"];
  };
  CHECK(format_cores("OMP_PROC_BIND=true") == format_cores("A=1"));
}

TEST_CASE("a run warns about fewer threads than cores, unless --threads requests them") {
  if (make_result("")["environment"]["threads"] == 1) {
    WARN("skipped: a single core");
    return;
  }
  for (const std::string variable : {"OMP_NUM_THREADS=1", "GOMP_CPU_AFFINITY=0"}) {
    INFO(variable);
    const Json result = make_result(variable);
    CHECK(result["environment"]["threads"] == 1);
    CHECK_THAT(result["environment"]["threads_note"].get<std::string>(),
               contains_text("1 thread on ") && contains_text("(" + variable + ")"));
    CHECK_THAT(kinds_of_warnings(result), contains_text("few-threads"));
  }
  const Json asked = make_result("OMP_NUM_THREADS=1", "--threads 1");
  CHECK(asked["environment"]["threads_note"] == "");
  CHECK_THAT(kinds_of_warnings(asked), !contains_text("few-threads"));
  CHECK(make_result("OMP_NUM_THREADS=1", "--threads 2")["environment"]["threads"] == 2);
}

TEST_CASE("threads spin briefly while another process is busy, unless the user chose their wait policy") {
  const auto read_policy = [](const std::string& variable) {
    return make_result(variable)["environment"]["wait_policy"].get<std::string>();
  };
  CHECK_THAT(read_policy(""), contains_text("GOMP_SPINCOUNT="));
  for (const std::string variable : {"OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=7"})
    CHECK(read_policy(variable) == variable);
  if (!std::filesystem::exists("/proc/stat")) {
    WARN("skipped: the load of other processes is only read on Linux");
    return;
  }
  StartedProcess busy("/bin/sh", {"-c", "while :; do :; done"}, ".", {});
  CHECK(read_policy("") == "GOMP_SPINCOUNT=1000");
}

}  // namespace gpubench::test::threads_test
