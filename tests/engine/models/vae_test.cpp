#include <cmath>

#include "generative.h"
#include "support/catch.h"

namespace gpubench::test::vae_test {

TEST_CASE("a VAE with zero weights has loss 784 ln 2 per image plus the divergence of its Gaussians") {
  const auto model = built("vae");
  fill(model->parameters(), 0);
  const Batch batch = random_batch("vae", 3);
  const at::Tensor blank = evaluation_sums(*model, batch);
  CHECK(value(blank, 0) == approx(3 * 784 * std::log(2)));
  CHECK(value(blank, 1) == approx(3 * 784 * std::log(2)));
  CHECK(value(blank, 2) == 0);

  // Divergence of N(m, v) from N(0, 1) per dimension: (m^2 + v - 1 - ln v) / 2. There are 20 dimensions.
  auto parameters = model->named_parameters();
  fill({parameters["mean.bias"]}, 1.5);
  fill({parameters["log_variance.bias"]}, std::log(4));
  const at::Tensor apart = evaluation_sums(*model, batch);
  CHECK(value(apart, 2) == approx(3 * 20 * (1.5 * 1.5 + 4 - 1 - std::log(4)) / 2));
  CHECK(value(apart, 0) == approx(value(apart, 1) + value(apart, 2)));
}

TEST_CASE("the VAE decodes samples of its Gaussians, also in evaluation") {
  const auto model = built("vae");
  const Batch batch = random_batch("vae", 2);
  at::manual_seed(4);
  const at::Tensor first = evaluation_sums(*model, batch);
  CHECK_FALSE(evaluation_sums(*model, batch)[1].equal(first[1]));
  at::manual_seed(4);
  CHECK(evaluation_sums(*model, batch).equal(first));
}

TEST_CASE("the VAE trains in bf16 and with channels last") { check_formats("vae"); }

}  // namespace gpubench::test::vae_test
