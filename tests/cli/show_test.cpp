// `gpubench show`, with the real binary.

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::show_test {

namespace {

const std::string kFile = fixtures_dir() + "/results/alpha-cpu.json";

}  // namespace

TEST_CASE("show prints what a result file says, and needs no LibTorch for it", "[seam]") {
  Gpubench gpubench;
  gpubench.set("GPUBENCH_ENGINE", "/no/such/library");
  const auto result = gpubench.run({"show", kFile});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.out.starts_with("alpha-cpu.json\n====="));
  CHECK_THAT(result.out, contains_text("Processor 9000"));
  CHECK_THAT(result.out, !contains_text("Machine and software"));
  CHECK_THAT(gpubench.run({"show", kFile, "--details"}).out, contains_text("Machine and software"));
  CHECK_THAT(gpubench.run({"show", kFile, "--format", "md"}).out, contains_text("# alpha-cpu.json\n"));
  CHECK(gpubench.run({"show", kFile, "--format", "csv"}).out.starts_with("file,model,"));
}

TEST_CASE("show names the file that it cannot show", "[seam]") {
  Gpubench gpubench;
  const auto missing = gpubench.run({"show", "missing.json"});
  CHECK(missing.exit_code == 3);
  CHECK_THAT(missing.err, contains_text("missing.json: cannot be read"));
  const auto other = gpubench.run({"show", source_dir() + "/README.md"});
  CHECK(other.exit_code == 3);
  CHECK_THAT(other.err, contains_text("README.md: not JSON"));
  CHECK(other.out.empty());
}

TEST_CASE("show wants a file and a known format") {
  Gpubench gpubench;
  CHECK(gpubench.run({"show"}).exit_code == 2);
  const auto unknown = gpubench.run({"show", kFile, "--format", "tx"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, contains_text("did you mean 'txt'?"));
}

TEST_CASE("show completes formats") {
  Gpubench gpubench;
  CHECK(gpubench.run({"complete", "show", "run.json", "--format", "m"}).out == "md\n");
  CHECK_THAT(gpubench.run({"show", "--help"}).out, contains_text("Example"));
}

TEST_CASE("show prints peaks and selftests as their commands do, and refuses what they do not have",
          "[seam]") {
  const Gpubench gpubench;
  const std::string measured = source_dir() + "/tests/fuzz/corpus/";
  const auto peak = gpubench.run({"show", measured + "peak/measured.json"});
  CHECK(peak.exit_code == 0);
  CHECK_THAT(peak.out, contains_text("matrix product fp32"));
  const auto selftest = gpubench.run({"show", measured + "selftest/measured.json"});
  CHECK(selftest.exit_code == 0);
  CHECK_THAT(selftest.out, contains_text("3 passed, 0 failed"));
  const auto page = gpubench.run({"show", measured + "selftest/measured.json", "--format", "md"});
  CHECK(page.exit_code == 2);
  CHECK_THAT(page.err, contains_text("measured.json: is a selftest, which is shown as txt alone"));
}

}  // namespace gpubench::test::show_test
