// `gpubench compare` and `report`, with the real binary.

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::compare_test {

namespace {

const std::string kAlpha = fixtures_dir() + "/results/alpha-cpu.json";
const std::string kBeta = fixtures_dir() + "/results/beta-cuda.json";

}  // namespace

TEST_CASE("compare accepts folders and published results", "[seam]") {
  const Gpubench gpubench;
  const auto folder = gpubench.run({"compare", fixtures_dir() + "/results", "--format", "csv"});
  CHECK(folder.exit_code == 0);
  CHECK_THAT(folder.out, contains_text("alpha-cpu.json"));
  const auto published = gpubench.run({"compare", kAlpha, "--baseline", "published:rtx-2070-super"});
  CHECK(published.exit_code == 0);
  CHECK_THAT(published.out, contains_text("published values, different protocol"));
}

TEST_CASE("the error for input that cannot be compared names it", "[seam]") {
  const Gpubench gpubench;
  const auto check = [&](const std::vector<std::string>& arguments, int code, const std::string& words) {
    const auto result = gpubench.run(arguments);
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains_text(words));
  };
  check({"compare"}, 2, "name result files");
  check({"compare", kAlpha}, 2, "only one device");
  check({"compare", kAlpha, "missing.json"}, 3, "missing.json: cannot be read");
  check({"compare", kAlpha, "published:nothing"}, 2, "published:nothing");
  check({"compare", kAlpha, kBeta, "--format", "pdf"}, 2, "--format");
  check({"compare", kAlpha, kBeta, "--gate", "much"}, 2, "--gate 'much'");
  check({"compare", kAlpha, kBeta, "--price-kwh", "0"}, 2, "--price-kwh '0': not a number above 0");
  check({"show", kAlpha, "--price-kwh", "dear"}, 2, "--price-kwh 'dear'");
  check({"report", kAlpha, "--price-kwh=-1"}, 2, "--price-kwh '-1'");
  check({"report", kAlpha, "-o", "report.pdf"}, 2, "report.pdf");
}

TEST_CASE("energy has a cost if a price is given", "[seam]") {
  const Gpubench gpubench;
  const std::vector<std::string> files = {"compare", "published:m1-ultra-gpu", "published:rtx-2070-super"};
  CHECK_THAT(gpubench.run(files).out, !contains_text("cost of"));
  auto priced = files;
  priced.insert(priced.end(), {"--price-kwh", "0.30"});
  CHECK_THAT(gpubench.run(priced).out, contains_text("per kWh"));
  priced.insert(priced.end(), {"--format", "csv"});
  CHECK_THAT(gpubench.run(priced).out, contains_text(",epoch_cost"));
}

}  // namespace gpubench::test::compare_test
