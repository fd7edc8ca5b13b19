#include "gpubench/core/nearest.h"

#include "support/catch.h"

namespace gpubench::test::nearest_test {
namespace {

const std::vector<std::string> kModels{"mlp", "cnn", "lstm", "cnn3", "resnet50"};

}  // namespace

TEST_CASE("a misspelled name finds the intended one") {
  CHECK(nearest_name("ltsm", kModels) == "lstm");
  CHECK(nearest_name("cn", kModels) == "cnn");
  CHECK(nearest_name("mxp", kModels) == "mlp");
  CHECK(nearest_name("resnet", kModels) == "resnet50");
  CHECK(nearest_name("rsenet5", kModels) == "resnet50");
}

TEST_CASE("a name without similar known names has no suggestion") {
  CHECK_FALSE(nearest_name("transformer", kModels).has_value());
  CHECK_FALSE(nearest_name("mlp", std::vector<std::string>{}).has_value());
}

}  // namespace gpubench::test::nearest_test
