// A case with thousands of epochs, by the real worker.

#include <algorithm>
#include <fstream>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::long_case_test {

namespace {

constexpr std::size_t kEpochs = 2000;

/// The lines of the journal that are about an epoch.
std::vector<std::string> epoch_lines(const std::filesystem::path& journal) {
  std::vector<std::string> lines;
  std::ifstream in(journal);
  for (std::string line; std::getline(in, line);) {
    if (Json::parse(line).at("event") == "epoch") lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("a case of thousands of short epochs is a row like any other, and each epoch one short line") {
  const Gpubench gpubench;
  const auto result = gpubench.run({"--model", "mlp", "--dataset", "synthetic", "--device", "cpu", "--batch",
                                    "32", "--max-samples", "32", "--threads", "1", "--epochs",
                                    std::to_string(kEpochs), "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json document = Json::parse(std::ifstream(gpubench.folder() / "run.json"));
  const Json& row = document.at("results").at(0);
  CHECK(row.at("status") == "ok");
  CHECK(row.at("facts").at("stopped_by") == "epochs");
  CHECK(row.at("samples").at("epoch_seconds").size() == kEpochs);
  CHECK(row.at("samples").at("training").at("loss").size() == kEpochs);
  CHECK(row.at("facts").at("trained_steps") == kEpochs);
  CHECK(row.at("figures").at("median_epoch_rel_ci95").is_number());

  const auto lines = epoch_lines(gpubench.folder() / "run.journal.jsonl");
  REQUIRE(lines.size() == kEpochs);
  for (std::size_t i = 0; i < kEpochs; ++i) {
    const Json added = Json::parse(lines[i]).at("record");
    if (added.at("duration") != row.at("samples").at("epoch_seconds").at(i)) FAIL("epoch " << i + 1);
    if (added.at("training").at("loss") != row.at("samples").at("training").at("loss").at(i))
      FAIL("loss " << i + 1);
  }
  const auto is_shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  const std::string longest = *std::max_element(lines.begin(), lines.end(), is_shorter);
  CHECK(longest.size() < 700);
}

}  // namespace gpubench::test::long_case_test
