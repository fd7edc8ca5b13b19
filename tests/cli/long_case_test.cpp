// A case with thousands of epochs, with the real worker.

#include "record/document/record_json.h"
#include "store/store.h"
#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::long_case_test {

namespace {

constexpr std::size_t kEpochs = 2000;

}  // namespace

TEST_CASE("a case of thousands of short epochs is complete in the result file and the store") {
  const Gpubench gpubench;
  const auto result = gpubench.run({"--model", "mlp", "--dataset", "synthetic", "--device", "cpu", "--batch",
                                    "32", "--max-samples", "32", "--threads", "1", "--epochs",
                                    std::to_string(kEpochs), "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json document = Json::parse(to_text(gpubench.folder() / "run.json"));
  const Json& row = document.at("results").at(0);
  CHECK(row.at("status") == "ok");
  CHECK(row.at("facts").at("stopped_by") == "epochs");
  CHECK(row.at("samples").at("epoch_seconds").size() == kEpochs);
  CHECK(row.at("samples").at("training").at("loss").size() == kEpochs);
  CHECK(row.at("facts").at("trained_steps") == kEpochs);
  CHECK(row.at("figures").at("median_epoch_rel_ci95").is_number());

  const Store store(gpubench.store(), Database::Access::kRead);
  const RunRecord stored = store.load_run(store.runs().at(0).id);
  CHECK(run_document(stored) == to_text(gpubench.folder() / "run.json"));
}

}  // namespace gpubench::test::long_case_test
