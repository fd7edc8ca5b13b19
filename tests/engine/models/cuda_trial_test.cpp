// What trials choose on a machine with an NVIDIA GPU and a build with CUDA; says that it was skipped
// elsewhere.

#include "engine/training/runner.h"
#include "gpubench/device.h"
#include "support/catch.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"
#include "tiny.h"

namespace gpubench::test::cuda_trial_test {

TEST_CASE("what auto may choose on CUDA agrees with nchw and with eager steps") {
  std::string why_not;
  if (device_kinds().require("cuda", "").count(why_not) == 0) {
    WARN("skipped: " << why_not);
    return;
  }
  const TempDir cache;
  const ScopedVariable home("XDG_CACHE_HOME", cache.path().string());
  const std::string model =
      GENERATE("mlp", "cnn", "lstm", "resnet50", "dcgan", "siamese", "transformer_lm", "vae");
  const Precision precision = GENERATE(Precision::kFp32, Precision::kTf32, Precision::kAmpBf16);
  const auto device = open_device("cuda");
  const CaseRecord record = run_network(model, {.precision = precision}, 32, 200, *device);
  INFO(model << " in " << to_string(precision) << ": " << record.execution_note << "; "
             << record.layout_note);
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.execution_used.value() == "graph");
  CHECK(record.layout_note.find("otherwise") == std::string::npos);
}

}  // namespace gpubench::test::cuda_trial_test
