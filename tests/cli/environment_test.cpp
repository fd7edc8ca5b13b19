// Environments that would cause an internal error of LibTorch are detected before it is loaded.

#include "gpubench_process.h"
#include "support/catch.h"

namespace gpubench::test::environment_test {

TEST_CASE("the error for an allocator setting without a value names its variable") {
  for (const std::string variable : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
    for (const std::string value : {"max_split_size_mb", "expandable_segments:True,max_split_size_mb"}) {
      Gpubench gpubench;
      gpubench.set(variable, value);
      const auto result = gpubench.run({"--model", "mlp", "--dataset", "synthetic", "--device", "cpu"});
      INFO(result.err);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err,
                 contains_text("gpubench: " + variable + "=" + value + ": a setting has no value"));
    }
  }
}

TEST_CASE("allocator settings with values, also in brackets, are passed to LibTorch") {
  Gpubench gpubench;
  gpubench.set("PYTORCH_ALLOC_CONF", "max_split_size_mb:64,roundup_power2_divisions:[256:1,512:2]");
  CHECK(gpubench.run({"list", "devices"}).exit_code == 0);
}

TEST_CASE("the error in a deleted current folder names the cause") {
  const Gpubench gpubench;
  const auto result = gpubench.run_shell(
      "mkdir gone && cd gone && rmdir ../gone && exec $0 --model mlp --dataset synthetic -o ../x.json");
  INFO(result.err);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, contains_text("current folder: was deleted; change to an existing folder"));
}

}  // namespace gpubench::test::environment_test
