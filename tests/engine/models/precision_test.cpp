#include <cmath>

#include "support/catch.h"
#include "tiny.h"
#include "workloads/cases/runner.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench::test::precision_test {

namespace {

CaseRecord run(const std::string& model, Precision precision, std::int64_t samples = 256) {
  CountingDevice device;
  return run_network(model, {.precision = precision}, 32, samples, device);
}

std::vector<double> losses(const CaseRecord& record) {
  INFO(record.status_reason);
  REQUIRE(record.status == RowStatus::kOk);
  return record.training.front().second;
}

}  // namespace

TEST_CASE("a network learns in bf16 as in fp32") {
  const std::string model = GENERATE("mlp", "cnn", "lstm");
  const std::vector<double> expected = losses(run(model, Precision::kFp32));
  for (const Precision precision : {Precision::kBf16, Precision::kAmpBf16}) {
    const CaseRecord record = run(model, precision);
    if (model == "lstm" && record.status == RowStatus::kUnsupported) {
      // oneDNN has bf16 LSTMs on newer processors only.
      WARN("skipped: " << record.status_reason);
      continue;
    }
    const std::vector<double> found = losses(record);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO(model << ' ' << to_string(precision) << ", epoch " << i);
      CHECK(found[i] == approx(expected[i]).epsilon(0.1).margin(0.02));
    }
  }
}

TEST_CASE("bf16 keeps fp32 copies of the parameters; autocast needs none") {
  CHECK(run("mlp", Precision::kBf16).optimizer == "adam (fused, fp32 copies of the parameters)");
  CHECK(run("mlp", Precision::kAmpBf16).optimizer == "adam (fused)");
}

TEST_CASE("a precision that changes nothing is unsupported") {
  const CaseRecord record = run("mlp", Precision::kTf32);
  CHECK(record.status == RowStatus::kUnsupported);
  CHECK_THAT(record.status_reason, contains_text("--precision tf32 on cpu"));
}

TEST_CASE("the scaler halves after an overflow and keeps finite gradients") {
  LossScaler scaler(at::kCPU);
  std::vector<at::Tensor> fine{at::full({2}, 65536.0F)};
  scaler.unscale(fine);
  CHECK(fine[0][0].item<float>() == 1);
  CHECK(scaler.found_inf().item<float>() == 0);
  std::vector<at::Tensor> broken{at::full({2}, INFINITY)};
  scaler.unscale(broken);
  CHECK(scaler.found_inf().item<float>() == 1);
  scaler.update();
  CHECK(scaler.scaled(at::ones({})).item<float>() == 32768);
}

}  // namespace gpubench::test::precision_test
