// GPUBENCH_ALLOCATOR takes effect, in a process per case and in one process for all cases.

#include <regex>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"

namespace gpubench::test::allocator_test {

namespace {

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
const std::string kTuned = "tuned";
#else
const std::string kTuned = "system";  // Only glibc's own malloc can be tuned.
#endif

/// Returns the allocator that a short run with this setting records.
std::string find_allocator(const std::string& setting) {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_ALLOCATOR", setting);
  const auto result = gpubench.run({"--model", "mlp", "--max-samples", "16", "--batch", "16", "--epochs", "1",
                                    "--dataset", "synthetic", "--device", "cpu", "-o", "-"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out)["environment"]["allocator"];
}

}  // namespace

TEST_CASE("the allocator is tuned by default") {
  CHECK(find_allocator("") == kTuned);
  CHECK(find_allocator("system") == "system");
}

TEST_CASE("the process needs the memory that a dry run estimates") {
  if (kTuned != "tuned") {
    WARN("skipped: needs glibc's malloc without a sanitizer");
    return;
  }
  // Before a block of glibc could be reused for an equal one, this run needed 1.4 times the estimate.
  std::vector<std::string> command = {"--model",       "vit", "--model-arg", "layers=4",  "--batch",  "128",
                                      "--max-samples", "256", "--dataset",   "synthetic", "--epochs", "2",
                                      "--device",      "cpu", "-o",          "-"};
  const Gpubench gpubench;
  const auto run = gpubench.run(command);
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const auto row = nlohmann::json::parse(run.out)["results"][0];
  const double peak_mib = row["facts"]["peak_host_bytes"].get<double>() / (1 << 20);
  command.back() = "unwritten.json";
  command.push_back("--dry-run");
  const auto estimated = gpubench.run(command);
  INFO(estimated.out);
  std::smatch total;
  REQUIRE(std::regex_search(estimated.out, total, std::regex("\\ntotal +([0-9.]+) MiB")));
  CHECK(std::stod(total[1]) == approx(peak_mib).epsilon(0.15));
}

TEST_CASE("the error for an unknown allocator lists the known ones") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_ALLOCATOR", "jemalloc");
  const auto result = gpubench.run({"--model", "mlp"});
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err == "gpubench: GPUBENCH_ALLOCATOR=jemalloc: give tuned or system\n");
}

}  // namespace gpubench::test::allocator_test
