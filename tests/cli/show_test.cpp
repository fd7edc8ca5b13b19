// `gpubench show`, with the real binary.

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::show_test {

namespace {

const std::string kFile = fixtures_dir() + "/results/alpha-cpu.json";

}  // namespace

TEST_CASE("show prints a result file without LibTorch", "[seam]") {
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

TEST_CASE("show requires a file and a known format") {
  Gpubench gpubench;
  CHECK(gpubench.run({"show"}).exit_code == 2);
  const auto unknown = gpubench.run({"show", kFile, "--format", "tx"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, contains_text("did you mean 'txt'?"));
}

}  // namespace gpubench::test::show_test
