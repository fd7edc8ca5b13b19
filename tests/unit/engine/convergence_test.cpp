#include "engine/judge/plausibility.h"

#include <cmath>
#include <vector>

#include "support/catch.h"

using gpubench::divergence;
using gpubench::kJudgedSteps;
using gpubench::test::contains_text;

TEST_CASE("a loss that falls has not diverged") {
  CHECK(divergence(std::vector<double>{2.3, 1.9, 2.0}, 100).empty());
}

TEST_CASE("a loss that is not finite has diverged, and its epoch is named") {
  CHECK_THAT(divergence(std::vector<double>{2.3, std::nan("")}, 1), contains_text("epoch 2 is not finite"));
  CHECK_THAT(divergence(std::vector<double>{INFINITY}, 1), contains_text("epoch 1 is not finite"));
}

TEST_CASE("a loss that does not fall has diverged once there were steps enough to tell") {
  const std::vector<double> rising{2.3, 2.4};
  CHECK_THAT(divergence(rising, kJudgedSteps), contains_text("did not fall: 2.3 in epoch 1, 2.4 in epoch 2"));
  CHECK(divergence(rising, kJudgedSteps / 2 - 1).empty());
  CHECK(divergence(std::vector<double>{2.3}, 1000).empty());
}
